import { Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { SECOND } from '../kernel/clock.js';
import { limitLeases, putBackRepair } from '../platform/database/put-back-repair.js';
import type { SqlClient } from '../platform/database/sql-client.js';

/** A task that only one process at a time may run. */
export interface LeasedTask {
  readonly extension: string;
  readonly name: string;
  readonly intervalSeconds: number;
}

/** The result of a run. A `stopped` run has more to do, so the task is due again at once. */
export type RunOutcome = 'succeeded' | 'failed' | 'stopped';

// All times are from the database's clock, since the clocks of processes differ.

/**
 * If a process died and its lock expired, the task runs again at once. This happens only once, because the task may
 * have killed the process.
 *
 * $3 the interval in seconds, $4 the seconds of a lock, $5 the lock's token, $6 whether to run a task that is not due
 */
const CLAIM = {
  name: 'claim_extension_task',
  text: `insert into extension_tasks as known (extension, task, began_at, leased_until, lease)
    values ($1, $2, now(), now() + $4 * interval '1 second', $5)
    on conflict (extension, task) do update set began_at = excluded.began_at, leased_until = excluded.leased_until,
        lease = excluded.lease, is_repeat = known.leased_until is not null
      where case
        when known.leased_until > now() then false
        when known.leased_until <= now() and not known.is_repeat then true
        else $6 or known.began_at is null or known.began_at <= now() - $3 * interval '1 second'
      end
    returning is_repeat`,
};
const RENEW = {
  name: 'renew_extension_task',
  text: `update extension_tasks set leased_until = now() + $4 * interval '1 second'
    where extension = $1 and task = $2 and lease = $3 and leased_until > now() returning 1`,
};
const RELEASE = {
  name: 'release_extension_task',
  text: `update extension_tasks set leased_until = null, lease = null, is_repeat = false,
      began_at = case when $4::text = 'stopped' then null else began_at end,
      succeeded_at = case when $4::text = 'succeeded' then now() else succeeded_at end
    where extension = $1 and task = $2 and lease = $3`,
};
/** Returns the seconds to wait: at most one interval ($3), because the lock may be released early. */
const WAIT = {
  name: 'wait_for_extension_task',
  text: `select extract(epoch from greatest(interval '0', least($3 * interval '1 second', case
      when leased_until > now() then leased_until - now()
      when leased_until <= now() and not is_repeat then interval '0'
      else began_at + $3 * interval '1 second' - now()
    end)))::float8 as seconds
    from extension_tasks where extension = $1 and task = $2`,
};

/** Corrects times that are in the future since the database's clock was put back. Tasks would wait for these times. */
export const TASK_REPAIRS = [
  limitLeases('extension_tasks', 'leased_until'),
  putBackRepair(
    'extension_tasks_began_at',
    `update extension_tasks set began_at = now() where began_at > now() + interval '10 seconds'`,
  ),
];

/** A process's time-limited lock on a task, renewed until it is released or lost. */
export class TaskLease {
  private readonly log = new Logger('ExtensionTasks');
  private readonly id = randomUUID();
  private renewal: NodeJS.Timeout | undefined;
  private expiry: NodeJS.Timeout | undefined;
  private isHeld = false;

  private constructor(
    private readonly sql: SqlClient,
    private readonly task: LeasedTask,
    private readonly leaseSeconds: number,
    private readonly onLost: (reason: Error) => void,
  ) {}

  /**
   * @param onLost called as soon as another process may take the task
   * @returns null if the task is locked, or neither due nor forced
   */
  static async claim(
    sql: SqlClient,
    task: LeasedTask,
    { leaseSeconds, isForced }: { readonly leaseSeconds: number; readonly isForced: boolean },
    onLost: (reason: Error) => void,
  ): Promise<TaskLease | null> {
    const lease = new TaskLease(sql, task, leaseSeconds, onLost);
    return (await lease.take(isForced)) ? lease : null;
  }

  /** Returns the seconds until the next attempt to lock the task. */
  static async readWait(sql: SqlClient, { extension, name, intervalSeconds }: LeasedTask): Promise<number> {
    const [row] = await sql.run<{ seconds: number }>(WAIT, [extension, name, intervalSeconds]);
    return row?.seconds ?? intervalSeconds;
  }

  /** Ends the lock early, so that no process waits for its expiry. A lost lock stays with its new holder. */
  async release(outcome: RunOutcome): Promise<void> {
    this.isHeld = false;
    clearInterval(this.renewal);
    clearTimeout(this.expiry);
    const { extension, name } = this.task;
    await this.sql.run(RELEASE, [extension, name, this.id, outcome]);
  }

  private async take(isForced: boolean): Promise<boolean> {
    const { extension, name, intervalSeconds } = this.task;
    const askedAt = performance.now();
    const values = [extension, name, intervalSeconds, this.leaseSeconds, this.id, isForced];
    const [row] = await this.sql.run<{ is_repeat: boolean }>(CLAIM, values);
    if (!row) return false;
    if (row.is_repeat) this.log.warn(`${this.label} runs again: the process that ran it did not end it`);
    this.isHeld = true;
    this.expireAfter(askedAt);
    this.renewal = setInterval(() => void this.renew(), (this.leaseSeconds * SECOND) / 3);
    return true;
  }

  /** Renews the lock. After a failure the lock stays valid until it expires, and renewal is tried again. */
  private async renew(): Promise<void> {
    const { extension, name } = this.task;
    const askedAt = performance.now();
    try {
      const renewed = await this.sql.run(RENEW, [extension, name, this.id, this.leaseSeconds]);
      if (!this.isHeld) return;
      if (renewed.length > 0) this.expireAfter(askedAt);
      else this.lose('another process may have it');
    } catch (error) {
      if (this.isHeld) this.log.warn(`the lease of ${this.label} could not be renewed: ${(error as Error).message}`);
    }
  }

  /** Counts from the time of the request, so that this process stops before its lock expires in the database. */
  private expireAfter(askedAt: number): void {
    clearTimeout(this.expiry);
    const remainingMs = askedAt + this.leaseSeconds * SECOND - performance.now();
    this.expiry = setTimeout(() => this.lose('it was not renewed in time'), remainingMs);
  }

  private lose(why: string): void {
    this.isHeld = false;
    clearInterval(this.renewal);
    clearTimeout(this.expiry);
    this.log.warn(`${this.label} stops, its lease was lost: ${why}`);
    this.onLost(new Error(`the lease was lost: ${why}`));
  }

  private get label(): string {
    return `${this.task.extension}.${this.task.name}`;
  }
}
