import type { Checked, Deed } from './ledger.js';
import type { Mailed } from './mails.js';
import type { Happened } from './mischief.js';
import type { OwnPostgres } from './own-postgres.js';
import type { Arrival } from './receivers.js';
import type { Spell } from './truth.js';
import type { Reading } from './watch-post.js';

export interface EntryRow {
  readonly id: string;
  readonly accountId: string;
  readonly domain: string;
  readonly status: string;
  readonly changeSeq: number;
}

export interface EventRow {
  readonly id: string;
  readonly accountId: string;
  readonly type: string;
  readonly entryId: string | null;
  readonly data: {
    readonly status: string;
    readonly previous_status: string;
    readonly move: string | null;
    readonly change_seq: number;
    readonly observed_at: string | null;
    readonly confirmed_at: string | null;
    readonly tags?: readonly string[];
  };
  readonly createdAt: Date;
}

export interface ChannelRow {
  readonly id: string;
  readonly accountId: string;
  readonly target: string;
  readonly active: boolean;
  readonly eventTypes: readonly string[];
  readonly tags: readonly string[];
  readonly createdAt: Date;
}

export interface DeliveryRow {
  readonly id: string;
  readonly eventId: string;
  readonly channelId: string;
  readonly state: string;
}

export interface AttemptRow {
  readonly deliveryId: string;
  readonly number: number;
  readonly startedAt: Date;
  readonly outcome: string | null;
}

/** What the database holds in the end. */
export interface Rows {
  readonly entries: readonly EntryRow[];
  /** In the order in which they were written. */
  readonly events: readonly EventRow[];
  readonly channels: readonly ChannelRow[];
  readonly deliveries: readonly DeliveryRow[];
  readonly attempts: readonly AttemptRow[];
  readonly history: readonly { readonly entryId: string; readonly changeSeq: number; readonly status: string }[];
  readonly keys: readonly { readonly id: string; readonly name: string }[];
  /** Names that are watched without a schedule, or have one without being watched. */
  readonly halves: readonly string[];
}

/** An entry whose name changed, and how it was answered when it was made. */
export interface Watch {
  readonly id: string;
  readonly domain: string;
  readonly status: string;
}

/** All that the invariants are judged by. */
export interface Evidence extends Rows {
  /** By name. */
  readonly truths: ReadonlyMap<string, readonly Spell[]>;
  /** What registries said besides, by name. */
  readonly hearsay: ReadonlyMap<string, readonly Spell[]>;
  readonly watches: readonly Watch[];
  readonly arrivals: readonly Arrival[];
  readonly mailed: readonly Mailed[];
  /** The labels of channels that were there before anything happened, by id. */
  readonly standing: ReadonlyMap<string, string>;
  readonly deeds: readonly Deed[];
  readonly checked: readonly Checked[];
  readonly wrongAnswers: readonly string[];
  readonly happened: readonly Happened[];
  readonly lateness: readonly Reading[];
  /** What did not come to rest in time, in words. */
  readonly unrest: readonly string[];
  readonly leaseSeconds: number;
}

/** What an invariant found: what it looked at, and what breaks it. */
export interface Finding {
  readonly about: string;
  readonly violations: readonly string[];
}

export interface Invariant {
  /** `I1` and so on. */
  readonly name: string;
  readonly says: string;
  readonly judge: (evidence: Evidence) => Finding;
}

export async function readRows(postgres: OwnPostgres): Promise<Rows> {
  const events = await postgres.query<Omit<EventRow, 'data'> & { readonly body: string }>(`
    select id, account_id as "accountId", type, entry_id as "entryId", body, created_at as "createdAt"
    from events order by xid, seq`);
  return {
    entries: await postgres.query(`
      select id, account_id as "accountId", domain, status, change_seq as "changeSeq" from watch_entries`),
    events: events.map(({ body, ...event }) => ({ ...event, data: (JSON.parse(body) as Pick<EventRow, 'data'>).data })),
    channels: await postgres.query(`
      select id, account_id as "accountId", target, active, event_types as "eventTypes", tags,
        created_at as "createdAt" from notification_channels`),
    deliveries: await postgres.query(`
      select id, event_id as "eventId", channel_id as "channelId", state from deliveries`),
    attempts: await postgres.query(`
      select delivery_id as "deliveryId", number, started_at as "startedAt", outcome
      from delivery_attempts order by delivery_id, number`),
    history: await postgres.query(`select entry_id as "entryId", change_seq as "changeSeq", status from watch_history`),
    keys: await postgres.query('select id, name from api_keys'),
    halves: (
      await postgres.query<{ domain: string }>(`
      select domain from watched_names full join (select distinct domain from watch_entries) e using (domain)
      where (next_check_at is null) <> (e.domain is null)`)
    ).map(({ domain }) => domain),
  };
}
