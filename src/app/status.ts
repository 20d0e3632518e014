import type { Ask } from '../platform/crypto/data-key.js';
import { readLastBackup, type LastBackup } from '../platform/processes/last-backup.js';

export interface LiveProcess {
  readonly role: string;
  readonly version: string;
  readonly host: string;
  readonly pid: number;
  readonly startedAt: Date;
  readonly seenAt: Date;
  /** True if the process missed two heartbeats. Then it was killed, or cannot reach the database. */
  readonly isSilent: boolean;
  /** Ids of the master keys in the settings of this process. */
  readonly masterKeys: readonly string[];
}

/** Waiting work: the number of items, and the age of the oldest. */
interface Backlog {
  readonly count: number;
  readonly oldestSeconds: number;
}

interface FailingRegistry {
  readonly operator: string;
  /** `block`: the registry asked for a pause. `breaker`: too many queries to the registry failed. */
  readonly reason: 'block' | 'breaker';
  readonly until: Date;
}

export interface Status {
  readonly processes: readonly LiveProcess[];
  /** Names whose check has been due for more than a minute. */
  readonly overdueNames: Backlog;
  readonly dueDeliveries: Backlog;
  readonly lastBackup: LastBackup | null;
  readonly databaseBytes: number;
  readonly failingRegistries: readonly FailingRegistry[];
}

const backlogOf = (table: string, dueAt: string, where: string) => `
  select count(*)::int as count, coalesce(extract(epoch from now() - min(${dueAt})), 0)::int as "oldestSeconds"
  from ${table} where ${where}`;
const OVERDUE_NAMES = backlogOf('watched_names', 'next_check_at', `next_check_at <= now() - interval '1 minute'`);
const DUE_DELIVERIES = backlogOf('deliveries', 'next_attempt_at', `state = 'pending' and next_attempt_at <= now()`);
const DATABASE_SIZE = 'select pg_database_size(current_database())::float8 as bytes';
const FAILING_REGISTRIES = `
  select operator, case when blocked_until > now() then 'block' else 'breaker' end as reason,
    greatest(blocked_until, retry_at) as until
  from registry_operators where blocked_until > now() or retry_at is not null order by operator`;

/** Lists running and killed processes. A process that shuts down normally deletes its row. */
export function listProcesses(ask: Ask): Promise<LiveProcess[]> {
  return ask<LiveProcess>(`
    select role, version, host, pid, started_at as "startedAt", seen_at as "seenAt", master_keys as "masterKeys",
      seen_at < now() - interval '90 seconds' as "isSilent"
    from processes order by role, started_at, id`);
}

export async function readStatus(ask: Ask): Promise<Status> {
  return {
    processes: await listProcesses(ask),
    overdueNames: await readOne<Backlog>(ask, OVERDUE_NAMES),
    dueDeliveries: await readOne<Backlog>(ask, DUE_DELIVERIES),
    lastBackup: await readLastBackup(ask),
    databaseBytes: (await readOne<{ bytes: number }>(ask, DATABASE_SIZE)).bytes,
    failingRegistries: await ask<FailingRegistry>(FAILING_REGISTRIES),
  };
}

async function readOne<Row extends object>(ask: Ask, text: string): Promise<Row> {
  const [row] = await ask<Row>(text);
  if (row === undefined) throw new Error('a statement that counts returned no row');
  return row;
}
