import { Logger } from '@nestjs/common';
import pg from 'pg';

/** A host that does not respond within this time counts as dead. */
const PROBE_TIMEOUT_MS = 2_000;
/** SQLSTATE `read_only_sql_transaction`. An error with this code counts as an outage, so callers try again. */
const TAKES_NO_WRITES = '25006';

/**
 * Reads the number of PostgreSQL's timeline, or null on a server that takes no writes. A standby that is promoted
 * begins a new timeline.
 */
export const TIMELINE = `select case when pg_is_in_recovery() or current_setting('default_transaction_read_only')::bool then null
  else ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int end as timeline`;

export interface Host {
  readonly host: string;
  readonly port: number;
}

interface Found extends Host {
  readonly timeline: number;
}

/** None of the hosts of DATABASE_URL is a primary now. */
export class NoWritableHost extends Error {
  readonly code = TAKES_NO_WRITES;
}

/**
 * Finds the host that takes writes. If an old primary came back, two hosts take writes, and the last promoted host is
 * chosen.
 */
export class WritableHost {
  private static readonly byHosts = new Map<string, WritableHost>();
  private readonly log = new Logger('PostgreSQL');
  private current: Promise<Host> | null = null;
  private last: Found | null = null;

  private constructor(private readonly hosts: readonly Host[]) {}

  /** Returns null for a URL with one host. */
  static of(url: string | undefined): WritableHost | null {
    const hosts = (url === undefined ? null : URL.parse(url))?.searchParams.get('hosts');
    if (!hosts) return null;
    const known = this.byHosts.get(hosts) ?? new WritableHost(hosts.split(',').map(toHost));
    this.byHosts.set(hosts, known);
    return known;
  }

  /** @throws NoWritableHost if no host takes writes */
  find(settings: pg.ClientConfig): Promise<Host> {
    const search = (this.current ??= this.search(settings));
    search.catch(() => this.forget(search));
    return search;
  }

  /** Call this after a connection to the host failed or ended. The next connection then asks all hosts again. */
  forget(found: Promise<Host> | null = this.current): void {
    if (this.current === found) this.current = null;
  }

  private async search(settings: pg.ClientConfig): Promise<Host> {
    const answers = await Promise.allSettled(this.hosts.map((host) => probe(host, settings)));
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    const [latest] = found.sort((one, other) => other.timeline - one.timeline);
    if (!latest) throw this.explain(answers);
    this.note(latest);
    return latest;
  }

  private note(found: Found): void {
    const { last } = this;
    this.last = found;
    if (last === null || last.timeline === found.timeline) return;
    const [from, to] = [`${last.host}:${last.port}`, `${found.host}:${found.port}`];
    this.log.warn(
      { from, to, timeline_from: last.timeline, timeline_to: found.timeline },
      'PostgreSQL failed over: without synchronous replication, what was confirmed just before may be lost',
    );
  }

  private explain(answers: readonly PromiseSettledResult<Found>[]): NoWritableHost {
    const reasons = answers.map((answer, index) => {
      const { host, port } = this.hosts[index] as Host;
      return `${host}:${port} ${answer.status === 'rejected' ? (answer.reason as Error).message : ''}`;
    });
    return new NoWritableHost(`no host takes writes: ${reasons.join('; ')}`);
  }
}

function toHost(text: string): Host {
  const { hostname, port } = new URL(`postgres://${text}`);
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port || '5432') };
}

async function probe(host: Host, settings: pg.ClientConfig): Promise<Found> {
  const client = new pg.Client({
    ...settings,
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    query_timeout: PROBE_TIMEOUT_MS,
  });
  Object.assign(client, host);
  client.on('error', () => undefined); // the query rejects with the error
  try {
    await client.connect();
    const { rows } = await client.query<{ timeline: number | null }>(TIMELINE);
    const timeline = rows[0]?.timeline ?? null;
    if (timeline === null) throw new Error('takes no writes');
    return { ...host, timeline };
  } finally {
    await client.end().catch(() => undefined);
  }
}
