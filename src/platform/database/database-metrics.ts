import { Injectable } from '@nestjs/common';
import { Clock, SECOND } from '../../kernel/clock.js';
import { DatabaseConfig } from '../../config/sections.js';
import { type LabelledValue, Metrics, READ_TIMEOUT_MS } from '../metrics/metrics.js';
import { type PoolUsage, OrmPools } from './pools.js';
import { readFreeBytes } from '../free-space.js';
import { readLastBackup } from '../processes/last-backup.js';
import { SqlClient } from './sql-client.js';
import { TIMELINE } from './writable-host.js';

/** Counts the sessions of this user. No privilege is needed, since a user may see its own sessions. */
const COUNT_SESSIONS = {
  name: 'metrics_sessions',
  text: `select case when wait_event_type = 'Lock' then 'waiting for a lock' else coalesce(state, 'unknown') end as state,
           count(*)::int as sessions
         from pg_stat_activity where datname = current_database() and usename = current_user group by 1`,
};
/** The most values of the metric label `statement`, which names statements that run one at a time. */
const MAX_STATEMENTS = 50;

@Injectable()
export class DatabaseMetrics {
  constructor(
    private readonly sqlClient: SqlClient,
    ormPools: OrmPools,
    clock: Clock,
    metrics: Metrics,
    { databaseFolder }: DatabaseConfig,
  ) {
    if (databaseFolder !== null)
      metrics.gauge('namewatch_database_disk_free_bytes', 'Free space on the disk of the embedded PostgreSQL.', () =>
        readFreeBytes(databaseFolder),
      );
    metrics.gauge(
      'namewatch_database_pool_connections',
      'Connections of this process, and calls that wait for one.',
      () => Promise.resolve([...sqlClient.poolUsage(), ...ormPools.usage()].flatMap(toValues)),
      ['pool', 'state'],
    );
    metrics.gauge(
      'namewatch_database_sessions',
      'Sessions of this database user in all processes, by state.',
      () => this.countSessions(),
      'state',
    );
    metrics.gauge('namewatch_database_timeline', 'The timeline of PostgreSQL: a failover makes it one more.', () =>
      this.readTimeline(),
    );
    metrics.gauge('namewatch_clock_difference_seconds', "How far this machine's clock is ahead of PostgreSQL's.", () =>
      Promise.resolve((Date.now() - clock.now().getTime()) / SECOND),
    );
    metrics.gauge(
      'namewatch_last_backup_timestamp_seconds',
      'When the newest finished backup was taken, in seconds since 1970; absent before the first.',
      () => this.readLastBackup(),
      [],
    );
    const help = 'How long statements that run one at a time over all processes waited for their turn.';
    const waits = metrics.histogram('namewatch_lock_wait_seconds', help, { statement: MAX_STATEMENTS });
    sqlClient.onLockTaken((statement, seconds) => waits.observe(seconds, statement));
  }

  /** Returns NaN if the server takes no writes. Rejects if a hosted PostgreSQL refuses `pg_walfile_name`. */
  private async readTimeline(): Promise<number> {
    const [row] = await this.sqlClient.run<{ timeline: number | null }>({ name: 'metrics_timeline', text: TIMELINE });
    return row?.timeline ?? NaN;
  }

  private async readLastBackup(): Promise<readonly LabelledValue[]> {
    const backup = await readLastBackup((text, values) =>
      this.sqlClient.run({ name: 'metrics_last_backup', text }, values),
    );
    return backup === null ? [] : [{ labels: {}, value: backup.takenAt.getTime() / SECOND }];
  }

  private async countSessions(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.sqlClient.runFullScan<{ state: string; sessions: number }>(
      COUNT_SESSIONS,
      [],
      READ_TIMEOUT_MS,
    );
    return new Map(rows.map(({ state, sessions }) => [state, sessions]));
  }
}

function toValues({ pool, ...byState }: PoolUsage): LabelledValue[] {
  return Object.entries(byState).map(([state, value]) => ({ labels: { pool, state }, value }));
}
