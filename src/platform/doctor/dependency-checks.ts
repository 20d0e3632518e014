import { Redis } from 'ioredis';
import { createTransport } from 'nodemailer';
import pg from 'pg';
import { request } from 'undici';
import type { Config } from '../../config/config.js';
import { smtpRelay, withoutLogin } from '../outbound/smtp-relay.js';
import { excessPrivileges } from './excess-privileges.js';
import { databaseProblem } from '../database/connection-error.js';

/** What looking at one thing that the service needs came to. */
export interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
}

const PATIENCE = 5_000;
/** The service goes by the database's clock; more than this between the two misleads whoever reads logs. */
const TOLERABLE_SKEW = 2_000;
const OLDEST_POSTGRESQL = 150_000;

export function databaseFindings(url: string): Promise<Finding> {
  return finding('database', async () => {
    const client = await connected(url);
    try {
      const asked = Date.now();
      const { rows } = await client.query<{ version: string; number: string; now: Date }>(
        `select current_setting('server_version') as version, current_setting('server_version_num') as number,
                clock_timestamp() as now`,
      );
      const [row] = rows;
      if (!row) throw new Error('it answered with nothing');
      if (Number(row.number) < OLDEST_POSTGRESQL) throw new Error(`PostgreSQL ${row.version} is too old: 15 or newer`);
      const skew = Math.abs(row.now.getTime() - (asked + Date.now()) / 2);
      if (skew > TOLERABLE_SKEW) throw new Error(`its clock and this machine's differ by ${Math.round(skew)} ms`);
      const excess = await excessPrivileges(client);
      const warning = excess.length === 0 ? '' : `; warning: its user ${excess.join(', ')} (docs/database.md, Users)`;
      return `PostgreSQL ${row.version}, clocks ${Math.round(skew)} ms apart${warning}`;
    } finally {
      await client.end();
    }
  });
}

async function connected(url: string): Promise<pg.Client> {
  try {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: PATIENCE });
    await client.connect();
    return client;
  } catch (cause) {
    throw new Error(databaseProblem(cause, url) ?? (cause as Error).message, { cause });
  }
}

export function queueFindings({ redisUrl }: Config): Promise<Finding> {
  return finding('queue', async () => {
    if (redisUrl === null) return 'on PostgreSQL';
    const redis = new Redis(redisUrl, { lazyConnect: true, connectTimeout: PATIENCE, retryStrategy: () => null });
    redis.on('error', () => undefined); // what connect() throws says it
    try {
      await redis.connect();
      const policy = /^maxmemory_policy:(\S+)/m.exec(await redis.info('memory'))?.[1] ?? 'unknown';
      if (policy !== 'noeviction')
        throw new Error(`Redis would drop jobs: set maxmemory-policy noeviction, not ${policy}`);
      return `Redis answers, ${policy}`;
    } finally {
      redis.disconnect();
    }
  });
}

export function registryFindings({ lookup }: Config): Promise<Finding> {
  return finding('registries', async () => {
    if (lookup.bootstrapUrl === null) return `only the ${lookup.rdapOverrides.size} servers of RDAP_OVERRIDES`;
    const trouble = await troubleWith(lookup.bootstrapUrl);
    const { origin, pathname } = new URL(lookup.bootstrapUrl); // and no password that a mirror may want
    // The service goes on with the list it last fetched, or with its built-in one.
    return trouble === null ? `${origin}${pathname} answers` : `warning: ${origin}${pathname}: ${trouble}`;
  });
}

async function troubleWith(url: string): Promise<string | null> {
  try {
    const { statusCode, body } = await request(url, { signal: AbortSignal.timeout(PATIENCE) });
    await body.dump();
    return statusCode === 200 ? null : `it answered ${statusCode}`;
  } catch (error) {
    return (error as Error).message;
  }
}

export function mailFindings({ mail }: Config): Promise<Finding> {
  return finding('mail', async () => {
    if (mail.smtpUrl === null) return 'not configured: email channels will say so';
    const url = new URL(mail.smtpUrl);
    const limits = { dnsTimeout: PATIENCE, connectionTimeout: PATIENCE, greetingTimeout: PATIENCE };
    const transport = createTransport({ ...smtpRelay(mail.smtpUrl), ...limits });
    try {
      await transport.verify();
      return `${url.hostname} takes mail`;
    } catch (error) {
      throw new Error(withoutLogin((error as Error).message, mail.smtpUrl), { cause: error });
    } finally {
      transport.close();
    }
  });
}

export async function finding(check: string, examination: () => Promise<string>): Promise<Finding> {
  try {
    return { check, ok: true, detail: await examination() };
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    return { check, ok: false, detail: message || code || 'failed' };
  }
}
