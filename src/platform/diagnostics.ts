import { Redis } from 'ioredis';
import type pg from 'pg';
import { request } from 'undici';
import type { Config } from '../config/config.js';
import { findMailLinkProblem, smtpTransportOptions, redactLogin } from './outbound/smtp-relay.js';
import { explainDatabaseError } from './database/explain-database-error.js';
import { openDataKey, readSealedDataKey } from './crypto/data-key.js';
import { askIn, assertOwnSession, withSession } from './database/session.js';
import { readFreeBytes } from './free-space.js';
import { explainRedisError } from './redis/explain-redis-error.js';
import { findClusterProblem, findEvictionProblem } from './redis/redis-connection.js';
import { redisOptions } from './redis/redis-options.js';
import { assertCanListen, metricsAddress, serviceAddress } from './listen.js';

export interface DiagnosticResult {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
}

const TIMEOUT_MS = 5_000;
const SESSION = { connectionTimeoutMillis: TIMEOUT_MS };
/** If the clocks of machine and database differ more, the times of log lines do not fit stored times. */
const MAX_CLOCK_SKEW_MS = 2_000;
const MIN_POSTGRESQL_VERSION = 150_000;

export function checkDatabase(url: string): Promise<DiagnosticResult> {
  return runCheck('database', async () => {
    try {
      const describe = async (session: pg.Client) => {
        await assertOwnSession(session, url);
        return describeDatabase(session);
      };
      return await withSession(url, describe, SESSION);
    } catch (cause) {
      throw new Error(explainDatabaseError(cause, url) ?? (cause as Error).message, { cause });
    }
  });
}

async function describeDatabase(session: pg.Client): Promise<string> {
  const startedAt = Date.now();
  const { rows } = await session.query<{ version: string; number: string; now: Date }>(
    `select current_setting('server_version') as version, current_setting('server_version_num') as number,
            clock_timestamp() as now`,
  );
  const [row] = rows;
  if (!row) throw new Error('it returned no row');
  if (Number(row.number) < MIN_POSTGRESQL_VERSION) throw new Error(`PostgreSQL ${row.version} is too old: 15 or newer`);
  const skewMs = Math.abs(row.now.getTime() - (startedAt + Date.now()) / 2);
  if (skewMs > MAX_CLOCK_SKEW_MS) throw new Error(`its clock and this machine's differ by ${Math.round(skewMs)} ms`);
  const excess = await findExcessPrivileges(session);
  const warning = excess.length === 0 ? '' : `; warning: its user ${excess.join(', ')} (docs/database.md, Users)`;
  return `PostgreSQL ${row.version}, clocks ${Math.round(skewMs)} ms apart${warning}`;
}

export function checkQueue({ redisUrl }: Pick<Config, 'redisUrl'>): Promise<DiagnosticResult> {
  return runCheck('queue', async () => {
    if (redisUrl === null) return 'on PostgreSQL';
    const once = { retryStrategy: () => null, sentinelRetryStrategy: () => null };
    const redis = new Redis(redisOptions(redisUrl, { lazyConnect: true, connectTimeout: TIMEOUT_MS, ...once }));
    let reason: NodeJS.ErrnoException | null = null;
    // connect() rejects without the reason, so these events supply the reason.
    for (const event of ['error', 'sentinelError']) redis.on(event, (error: Error) => (reason ??= error));
    try {
      await redis.connect().catch((error: unknown) => {
        throw new Error(explainRedisError(reason ?? (error as Error), redisUrl), { cause: error });
      });
      const problem = (await findClusterProblem(redis)) ?? (await findEvictionProblem(redis));
      if (problem !== null) throw new Error(problem);
      return 'Redis answers, noeviction';
    } finally {
      redis.disconnect();
    }
  });
}

export function checkRegistries({ rdapBootstrapUrl: url, rdapOverrides }: Config): Promise<DiagnosticResult> {
  return runCheck('registries', async () => {
    if (url === null) return `only the ${rdapOverrides.size} servers of RDAP_OVERRIDES`;
    const problem = await findBootstrapProblem(url);
    const { origin, pathname } = new URL(url); // RDAP_BOOTSTRAP_URL may contain a login, which must not be shown.
    // Only a warning, since the service falls back to its last or built-in list of RDAP servers.
    return problem === null ? `${origin}${pathname} answers` : `warning: ${origin}${pathname}: ${problem}`;
  });
}

async function findBootstrapProblem(url: string): Promise<string | null> {
  try {
    const { statusCode, body } = await request(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    await body.dump();
    return statusCode === 200 ? null : `it answered ${statusCode}`;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Returns the host of the mail server, without the login. Returns null if none is configured. */
export function mailRelay({ smtpUrl }: Pick<Config, 'smtpUrl'>): string | null {
  return smtpUrl === null ? null : new URL(smtpUrl).host;
}

/**
 * @param inService the mail server of the running service: null if that service has none, undefined if no service runs
 */
export function checkMail(config: Config, inService?: string | null): Promise<DiagnosticResult> {
  const { smtpUrl } = config;
  const own = mailRelay(config);
  return runCheck('mail', async () => {
    if (inService === null && own !== null)
      throw new Error(`the running service has no SMTP_URL, other than this shell (${own}): restart it with it`);
    if (inService !== undefined && inService !== null && inService !== own)
      return `the running service sends by ${inService}; this shell has ${own ?? 'no SMTP_URL'}, so it was not asked`;
    if (smtpUrl === null) return 'not configured: email channels will say so';
    const url = new URL(smtpUrl);
    const timeouts = { dnsTimeout: TIMEOUT_MS, connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS };
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({ ...smtpTransportOptions(smtpUrl), ...timeouts });
    try {
      await transport.verify();
      const problem = findMailLinkProblem(config);
      return `${url.hostname} takes mail${problem === null ? '' : `; warning: ${problem}`}`;
    } catch (error) {
      throw new Error(redactLogin((error as Error).message, smtpUrl), { cause: error });
    } finally {
      transport.close();
    }
  });
}

export async function runCheck(check: string, work: () => Promise<string>): Promise<DiagnosticResult> {
  try {
    return { check, ok: true, detail: await work() };
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    return { check, ok: false, detail: message || code || 'failed' };
  }
}

/** Returns excessive privileges of this session's user, which a fault in the service could misuse. */
async function findExcessPrivileges(session: pg.Client): Promise<string[]> {
  const { rows } = await session.query<{ excess: string }>(
    `select excess from pg_roles me, lateral (values
       (rolsuper, 'is a superuser'),
       (rolcreaterole, 'makes users'),
       (rolcreatedb, 'makes databases'),
       (rolreplication, 'replicates'),
       (rolbypassrls, 'passes row-level security'),
       (not rolsuper and pg_has_role('pg_read_server_files', 'usage'), 'reads files of the server'),
       (not rolsuper and pg_has_role('pg_write_server_files', 'usage'), 'writes files of the server'),
       (not rolsuper and pg_has_role('pg_execute_server_program', 'usage'), 'runs programs on the server'),
       (not rolsuper and exists (select from pg_class
          where oid = to_regclass('events') and pg_has_role(relowner, 'usage')), 'owns the tables')) as f (has, excess)
      where me.rolname = current_user and has`,
  );
  return rows.map(({ excess }) => excess);
}

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

const MIB = 1_024 ** 2;
/** Below this, the check warns: PostgreSQL's transaction log alone can take 1 GB. */
const FEW_BYTES = 1_024 * MIB;
/**
 * Below this, the check fails: the transaction log grows by files of 16 MiB, and PostgreSQL stops when no file fits.
 */
const TOO_FEW_BYTES = 64 * MIB;

/**
 * Judges the free space on the embedded PostgreSQL's disk. Callers append `detail` to the path of the data directory.
 */
export async function checkFreeSpace(folder: string): Promise<Pick<DiagnosticResult, 'ok' | 'detail'>> {
  return judgeFreeSpace(await readFreeBytes(folder));
}

export function judgeFreeSpace(bytes: number): Pick<DiagnosticResult, 'ok' | 'detail'> {
  const free = `${Math.floor(bytes / MIB)} MB free`;
  if (bytes >= FEW_BYTES) return { ok: true, detail: `, ${free}` };
  if (bytes >= TOO_FEW_BYTES)
    return { ok: true, detail: `; warning: its disk has ${free}, and PostgreSQL may need 1 GB` };
  return { ok: false, detail: `: its disk has only ${free}, and PostgreSQL stops without space: make some` };
}

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

const UNDEFINED_TABLE = '42P01';

/** Checks that these keys decrypt the data key, which encrypts all stored secrets. */
export function checkMasterKeys(url: string, masterKeys: readonly string[]): Promise<DiagnosticResult> {
  return runCheck('master key', async () => {
    try {
      const sealed = await withSession(url, (session) => readSealedDataKey(askIn(session)), SESSION);
      if (sealed === null) return 'makes the data key at the next start';
      openDataKey(sealed, masterKeys);
      return 'opens every stored secret';
    } catch (error) {
      if ((error as { code?: string }).code !== UNDEFINED_TABLE) throw error;
      return 'checked after the migrations';
    }
  });
}
