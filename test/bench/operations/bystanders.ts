import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { newId } from '../../../src/kernel/identifier.js';
import { connect } from '../postgres.js';
import type { SeededAccount } from './seed.js';

const EVERY_MS = 20;
const DEADLOCK = '40P01';
const FOREIGN_KEY_VIOLATION = '23503';

/** The waits of others while an operation ran; milliseconds. */
export interface Encounters {
  /** The longest wait for a lock, as the database saw it. */
  readonly lockWaitMs: number;
  /** The statement that waited so long, and the statement that it waited for. */
  readonly lockWait: string | null;
  /** The slowest of the transactions, waits and the busy machine included. */
  readonly slowestMs: number;
}

const LONGEST_WAIT = `
  select extract(epoch from clock_timestamp() - l.waitstart) * 1000 as ms, a.application_name as who,
    (select string_agg(left(regexp_replace(b.query, '\\s+', ' ', 'g'), 120), ' | ') from pg_stat_activity b
     where b.pid = any(pg_blocking_pids(l.pid))) as blocker
  from pg_locks l join pg_stat_activity a on a.pid = l.pid
  where not l.granted and l.waitstart is not null and a.application_name like 'bystander %'
  order by l.waitstart limit 1`;

/**
 * Does what the rest of the service does to the rows of an account while an operation runs on it: routine results of its
 * names, entries of others and its own, events with deliveries. All but the results are rolled back.
 */
export class Bystanders {
  private readonly stopping = new AbortController();
  private lockWait = { ms: 0, text: null as string | null };
  private slowestMs = 0;

  private constructor(
    private readonly clients: readonly pg.Client[],
    private readonly runs: readonly Promise<void>[],
  ) {}

  static async start(url: string, account: SeededAccount, other: string): Promise<Bystanders> {
    const clients: pg.Client[] = [];
    const runs: Promise<void>[] = [];
    const bystanders = new Bystanders(clients, runs);
    for (const [name, work] of Object.entries(habits(account, other))) {
      const client = await connect(url, `bystander ${name}`);
      clients.push(client);
      runs.push(bystanders.repeat(() => bystanders.timed(() => work(client))));
    }
    const observer = await connect(url, 'observer');
    clients.push(observer);
    runs.push(bystanders.repeat(() => bystanders.observe(observer), EVERY_MS / 2));
    return bystanders;
  }

  async stop(): Promise<Encounters> {
    this.stopping.abort();
    await Promise.all(this.runs);
    await Promise.all(this.clients.map((client) => client.end()));
    return { lockWaitMs: this.lockWait.ms, lockWait: this.lockWait.text, slowestMs: this.slowestMs };
  }

  private async repeat(work: () => Promise<void>, everyMs = EVERY_MS): Promise<void> {
    while (!this.stopping.signal.aborted) {
      await work();
      await pause(everyMs);
    }
  }

  private async timed(work: () => Promise<void>): Promise<void> {
    const began = performance.now();
    try {
      await work();
    } catch (error) {
      if ((error as { code?: string }).code !== DEADLOCK) throw error; // the wait before it counts
    }
    this.slowestMs = Math.max(this.slowestMs, performance.now() - began);
  }

  private async observe(client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ ms: string; who: string; blocker: string | null }>(LONGEST_WAIT);
    const [longest] = rows;
    if (!longest || Number(longest.ms) <= this.lockWait.ms) return;
    this.lockWait = {
      ms: Number(longest.ms),
      text: `${longest.who} waited for: ${longest.blocker ?? 'a lock released meanwhile'}`,
    };
  }
}

function habits(account: SeededAccount, other: string): Record<string, (client: pg.Client) => Promise<void>> {
  const domain = () => `${account.label}-${1 + Math.floor(Math.random() * account.entries)}.test`;
  return {
    'routine results': async (client) => {
      const domains = Array.from({ length: 20 }, domain).sort();
      await client.query(
        `update watched_names set revision = revision + 1
         where domain in (select domain from watched_names where domain = any($1) order by domain for update)`,
        [domains],
      );
    },
    'entry of another': (client) => rolledBack(client, () => addEntry(client, other, domain())),
    'entry of the account': (client) =>
      rolledBack(client, async () => {
        await client.query('select pg_advisory_xact_lock(hashtextextended($1, 1))', [account.id]);
        await addEntry(client, account.id, `${newId('wl')}.test`);
      }),
    // as when an entry is removed, a failure is noted, or the channel is changed
    'channel of the account': (client) =>
      rolledBack(client, async () => {
        await client.query('select 1 from notification_channels where account_id = $1 for no key update', [account.id]);
      }),
    'event of the account': (client) => rolledBack(client, () => addEvent(client, account)),
  };
}

async function rolledBack(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query('begin');
  try {
    await work();
  } catch (error) {
    if ((error as { code?: string }).code !== FOREIGN_KEY_VIOLATION) throw error; // its account or channel is deleted by now
  }
  await client.query('rollback');
}

async function addEntry(client: pg.Client, accountId: string, domain: string): Promise<void> {
  await client.query(
    `insert into watched_names (domain, interval_minutes, next_check_at) values ($1, 60, now()) on conflict do nothing`,
    [domain],
  );
  await client.query('select 1 from watched_names where domain = $1 for update', [domain]);
  await client.query(
    `insert into watch_entries (id, account_id, domain, interval_minutes,
       expiring_window_days, status, phase,
       change_seq, has_confirmed_facts, boundary_at, paused, tags, purpose, created_at, updated_at)
     values ($1, $2, $3, 60, 30, 'registered', 'registered', 0, false, now(), false, '{}', 'own', now(), now())
     on conflict do nothing`,
    [newId('wl'), accountId, domain],
  );
}

async function addEvent(client: pg.Client, { id, channel }: SeededAccount): Promise<void> {
  const event = newId('evt');
  await client.query(
    `insert into events (id, account_id, type, body, created_at) values ($1, $2, 'watchlist.registered', '', now())`,
    [event, id],
  );
  await client.query(
    `insert into deliveries (id, event_id, channel_id, state, next_attempt_at, created_at)
     values ($1, $2, $3, 'pending', now(), now())`,
    [newId('dl'), event, channel],
  );
}
