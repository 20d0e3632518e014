import pg from 'pg';
import type { Config } from '../../config/config.js';
import { runCheck, type DiagnosticResult } from './dependency-checks.js';
import { assertCanListen, metricsAddress, serviceAddress } from '../listen.js';

const TIMEOUT_MS = 5_000;

/** Whether the service can listen at HOST, PORT and METRICS_PORT. */
export function checkPorts(config: Config): Promise<DiagnosticResult> {
  return runCheck('ports', async () => {
    const addresses = [serviceAddress(config), metricsAddress(config)].filter((address) => address !== null);
    await assertCanListen(addresses);
    return addresses
      .map(({ host, port, settings }) =>
        port === 0 ? `${settings.port} takes a free port of ${host}` : `${settings.port} ${host}:${port} is free`,
      )
      .join(', ');
  });
}

/** Readiness of the service that holds this data directory. */
export function checkRunningService({ address, role }: { address: string; role: string }): Promise<DiagnosticResult> {
  return runCheck('service', async () => {
    const answer = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const { checks = {} } = (await answer.json()) as { checks?: Record<string, string> };
    const missing = Object.keys(checks).filter((name) => checks[name] !== 'ok');
    const about = `running at ${address}, role ${role}`;
    if (!answer.ok) throw new Error(`${about}, not ready: ${missing.join(' and ') || answer.status} unavailable`);
    return `${about}, ready`;
  });
}

export function checkMigrations(pending: () => Promise<readonly string[]>): Promise<DiagnosticResult> {
  return runCheck('migrations', async () => {
    const { length } = await pending();
    return length === 0 ? 'up to date' : `${length} to be applied at the next start`;
  });
}

type RunQuery = <Row>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

/** Returns one line per master key that stored secrets need and the settings lack. */
export type FindMissingMasterKeys = (run: RunQuery) => Promise<string[]>;

/** SQLSTATEs: undefined table, undefined column. */
const MISSING_SCHEMA_CODES = new Set(['42P01', '42703']);

export function checkMasterKeys(url: string, checks: readonly FindMissingMasterKeys[]): Promise<DiagnosticResult> {
  return runCheck('master key', async () => {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: TIMEOUT_MS });
    await client.connect();
    const run: RunQuery = async <Row>(text: string, values: readonly unknown[] = []) =>
      (await client.query(text, [...values])).rows as Row[];
    try {
      const missing: string[] = [];
      for (const check of checks) missing.push(...(await check(run)));
      if (missing.length > 0) throw new Error(missing.join('; '));
      return 'opens every stored secret';
    } catch (error) {
      if (!MISSING_SCHEMA_CODES.has((error as { code?: string }).code ?? '')) throw error;
      return 'checked after the migrations';
    } finally {
      await client.end();
    }
  });
}
