import type { ApiClient } from '../clients/api-client.js';
import type { AnsweredCheck, ClientAction } from '../clients/client-log.js';
import type { MailedEvent } from '../world/mail-server.js';
import type { InjectedFault } from '../scenario/fault-injector.js';
import type { FaultyPostgres } from '../cluster/postgres.js';
import type { WebhookArrival } from '../world/webhook-receivers.js';
import type { RecordKind } from '../world/held-record.js';
import type { RecordSpan } from '../world/record-history.js';
import type { StateSpan } from '../world/registry-state.js';
import type { LagReading } from './lag-monitor.js';

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
    readonly purpose?: string;
    /** Says what changed in the registration record. */
    readonly kind?: RecordKind;
    readonly before?: unknown;
    readonly after?: unknown;
    readonly part_of_move?: boolean;
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

interface DeliveryRow {
  readonly id: string;
  readonly eventId: string;
  readonly channelId: string;
  readonly state: string;
}

interface AttemptRow {
  readonly deliveryId: string;
  readonly number: number;
  readonly startedAt: Date;
  readonly outcome: string | null;
}

/** The rows of the database after the run. */
export interface Rows {
  readonly entries: readonly EntryRow[];
  /** They are in the order of writing. */
  readonly events: readonly EventRow[];
  readonly channels: readonly ChannelRow[];
  readonly deliveries: readonly DeliveryRow[];
  readonly attempts: readonly AttemptRow[];
  readonly history: readonly { readonly entryId: string; readonly changeSeq: number; readonly status: string }[];
  readonly keys: readonly { readonly id: string; readonly name: string }[];
  /** Names that are watched without a schedule, or scheduled without an entry. */
  readonly inconsistentNames: readonly string[];
}

/** An entry, with the status in the answer to its creation. */
export interface WatchedEntry {
  readonly id: string;
  readonly domain: string;
  readonly status: string;
  /** Which client it belongs to. */
  readonly account: number;
}

/** A change of the registration record as `GET /v1/watchlist/{id}/changes` lists it. */
export interface ListedChange {
  readonly kind: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly first_seen_at: string;
  readonly confirmed_at: string;
}

/** Everything the invariants check. */
export interface FinalState extends Rows {
  /** The states of registries, by name. */
  readonly registryStates: ReadonlyMap<string, readonly StateSpan[]>;
  /** Wrong answers of registries, by name. */
  readonly falseAnswers: ReadonlyMap<string, readonly StateSpan[]>;
  /** The states of the records, by name. */
  readonly recordHistories: ReadonlyMap<string, readonly RecordSpan[]>;
  /** Names whose record changed only after its last change was shown. */
  readonly recordNames: readonly string[];
  /** The changes that the API lists, by the id of the entry. */
  readonly listedChanges: ReadonlyMap<string, readonly ListedChange[]>;
  readonly watchedEntries: readonly WatchedEntry[];
  readonly arrivals: readonly WebhookArrival[];
  readonly mailed: readonly MailedEvent[];
  /** The labels of the channels created during setup, by id. */
  readonly channelLabels: ReadonlyMap<string, string>;
  readonly actions: readonly ClientAction[];
  readonly checks: readonly AnsweredCheck[];
  readonly unexpectedResponses: readonly string[];
  readonly incidents: readonly InjectedFault[];
  readonly lateness: readonly LagReading[];
  /** Work that was not finished in time. */
  readonly unfinished: readonly string[];
  readonly leaseSeconds: number;
}

/** By how much the clocks of processes may differ on a busy machine; milliseconds. */
export const CLOCK_SKEW_MS = 1_500;

/** The work of an invariant, in words, and the violations that it found. */
export interface InvariantResult {
  readonly summary: string;
  readonly violations: readonly string[];
}

export interface Invariant {
  /** `I1` and so on. */
  readonly name: string;
  readonly description: string;
  readonly check: (state: FinalState) => InvariantResult;
}

export async function readRows(postgres: FaultyPostgres): Promise<Rows> {
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
    inconsistentNames: (
      await postgres.query<{ domain: string }>(`
      select domain from watched_names full join (select distinct domain from watch_entries) e using (domain)
      where (next_check_at is null) <> (e.domain is null)`)
    ).map(({ domain }) => domain),
  };
}

/** The most that one page has; no record changes as often. */
const PER_PAGE = 100;
const LIST_TIMEOUT_MS = 120_000;

/** The changes of registration records that the API lists, by entry. @throws when it does not answer */
export async function readListedChanges(
  clients: readonly ApiClient[],
  entries: readonly WatchedEntry[],
): Promise<Map<string, readonly ListedChange[]>> {
  const listed = entries.map(async ({ id, account }) => {
    const path = `/v1/watchlist/${id}/changes?per_page=${PER_PAGE}`;
    const answer = await clients[account]?.call({ method: 'GET', path }, LIST_TIMEOUT_MS);
    if (answer?.status !== 200) throw new Error(`${path} was answered with ${JSON.stringify(answer)}`);
    return [id, answer.body['data'] as readonly ListedChange[]] as const;
  });
  return new Map(await Promise.all(listed));
}
