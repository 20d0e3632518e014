import { Injectable } from '@nestjs/common';
import type { EntryStatus, Evidence, LifecyclePhase } from '../../domains/language.js';
import type { HistoryInterval, HistoryPause } from '../domain/watch-events.js';
import type { Move } from '../domain/move.js';
import type { DomainEvent } from '../../kernel/domain-event.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import { sql, sqlText } from '../../platform/database/sql.js';
import type { SqlStatement } from '../../platform/database/sql.js';
import { parseEvidence } from '../mappings.js';

export interface StoredHistoryInterval {
  readonly status: EntryStatus;
  readonly phase: LifecyclePhase;
  readonly move: Move | null;
  readonly change_seq: number;
  readonly first_seen_at: Date;
  readonly last_seen_at: Date;
  readonly expires_at: Date | null;
  readonly evidence: readonly Evidence[];
}

export interface RemovedEntry {
  readonly id: string;
  readonly domain: string;
  readonly addedAt: Date;
  readonly removedAt: Date;
  /** The request that removed the entry; null if no request did. */
  readonly requestId: string | null;
}

interface HistoryPage {
  readonly rows: readonly StoredHistoryInterval[];
  readonly total: number;
  /** The removal of the entry; null while the entry is still on the watchlist. */
  readonly removed: RemovedEntry | null;
}

/** The time from which history is kept, by plan. null means that all history is kept. */
interface HistoryRetention {
  readonly byPlan: ReadonlyMap<string, Date | null>;
  readonly fallback: Date | null;
}

interface PhaseSince {
  readonly phase: LifecyclePhase;
  readonly since: Date;
}

const PURGE_BATCH_SIZE = 1_000;

/** The current interval has no end yet, so it shows the name's latest confirmation and current expiry date. */
const LAST_SEEN_AT = 'coalesce(h.last_seen_at, n.facts_confirmed_at, h.first_seen_at)';
const EXPIRES_AT = `case when h.last_seen_at is null then (n.facts::jsonb ->> 'expiresAt')::timestamptz else h.expires_at end`;
const REMOVED_COLUMNS = `r.id, r.domain, r.added_at as "addedAt", r.removed_at as "removedAt", r.request_id as "requestId"`;
const OWNED = `$2 in (select id from watch_entries where id = $2 and account_id = $1
                       union all select id from removed_entries where id = $2 and account_id = $1)`;

const PAGE = {
  name: 'history_page',
  text: `select h.status, h.phase, h.move, h.change_seq, h.first_seen_at, h.evidence, ${EXPIRES_AT} as expires_at,
           ${LAST_SEEN_AT} as last_seen_at
         from watch_history h left join watch_entries e on e.id = h.entry_id left join watched_names n on n.domain = e.domain
         where h.entry_id = $2 and ${OWNED}
         order by h.change_seq desc limit $3 offset $4`,
};
const COUNT = {
  name: 'history_count',
  text: `select (select count(*)::int from watch_history where entry_id = $2) as total, ${REMOVED_COLUMNS}
         from (select 1 where ${OWNED}) as owned left join removed_entries r on r.id = $2 and r.account_id = $1`,
};
/** How many of an entry's newest phases are read at most. */
const MAX_PHASES = 24;
const PHASES = {
  name: 'history_phases',
  text: `select e.id as "entryId", h.phase, h.first_seen_at as since
         from unnest($2::text[]) as asked(id) join watch_entries e on e.id = asked.id and e.account_id = $1
         cross join lateral (
           select phase, first_seen_at, change_seq from watch_history
           where entry_id = e.id and (last_seen_at is null or last_seen_at > $3)
           order by change_seq desc limit ${MAX_PHASES}) h
         order by h.change_seq`,
};

/** A list for one name has separate statements, because they use another index. */
const removedStatements = (name: string, owned: string, bound: number) => ({
  page: {
    name: `${name}_page`,
    text: `select ${REMOVED_COLUMNS} from removed_entries r where ${owned}
           order by r.removed_at desc, r.id desc limit $${bound + 1} offset $${bound + 2}`,
  },
  count: { name: `${name}_count`, text: `select count(*)::int as total from removed_entries r where ${owned}` },
});
const REMOVED_OF_ACCOUNT = removedStatements('removed_of_account', 'r.account_id = $1', 1);
const REMOVED_OF_NAME = removedStatements('removed_of_name', 'r.account_id = $1 and r.domain = $2', 2);

const KEPT = `left join jsonb_to_recordset($1::jsonb) as kept(plan text, since timestamptz) on kept.plan = a.plan`;
const KEPT_SINCE = 'case when kept.plan is null then $2::timestamptz else kept.since end';

/**
 * Deletes ended intervals beyond the plan's retention or without an account. `$3` is the latest cutoff of all plans, so
 * that the index skips newer rows.
 */
const PURGE_INTERVALS: SqlStatement = {
  name: 'history_purge',
  text: `with ended as materialized (
           select entry_id, change_seq, last_seen_at from watch_history
           where last_seen_at < $3 and last_seen_at >= $4 and (last_seen_at, entry_id, change_seq) > ($4, $5, $6)
           order by last_seen_at, entry_id, change_seq limit ${PURGE_BATCH_SIZE}),
         expired as (
           select h.entry_id, h.change_seq from ended
             join watch_history h on h.entry_id = ended.entry_id and h.change_seq = ended.change_seq
             left join watch_entries e on e.id = h.entry_id left join removed_entries r on r.id = h.entry_id
             left join accounts a on a.id = coalesce(e.account_id, r.account_id) ${KEPT}
           where a.id is null or h.last_seen_at < ${KEPT_SINCE}
           for update of h skip locked),
         purged as (
           delete from watch_history h using expired x
           where h.entry_id = x.entry_id and h.change_seq = x.change_seq returning 1)
         select last_seen_at as "endedAt", entry_id as "entryId", change_seq as "changeSeq",
           (select count(*)::int from purged) as purged
         from ended order by last_seen_at desc, entry_id desc, change_seq desc limit 1`,
};

/**
 * Deletes a batch of `removed_entries` that are older than the plan's history. Runs after {@link PURGE_INTERVALS},
 * which finds the plan of a removed entry by this table.
 */
const PURGE_REMOVED: SqlStatement = {
  name: 'removed_entries_purge',
  text: `with ended as materialized (
           select id, removed_at from removed_entries
           where removed_at < $3 and removed_at >= $4 and (removed_at, id, 0) > ($4, $5, $6::int)
           order by removed_at, id limit ${PURGE_BATCH_SIZE}),
         expired as (
           select e.id from ended join removed_entries e on e.id = ended.id
             join accounts a on a.id = e.account_id ${KEPT}
           where e.removed_at < ${KEPT_SINCE}
           for update of e skip locked),
         purged as (delete from removed_entries e using expired x where e.id = x.id returning 1)
         select removed_at as "endedAt", id as "entryId", 0 as "changeSeq", (select count(*)::int from purged) as purged
         from ended order by removed_at desc, id desc limit 1`,
};

const REMOVE_OF_ACCOUNT = {
  name: 'account_remove_removed_entries',
  text: `with removed as (
           delete from removed_entries where id = any(array(
             select id from removed_entries where account_id = $1 limit $2)) returning id),
         forgotten as (delete from watch_history h using removed r where h.entry_id = r.id)
         select id from removed`,
};

interface PurgedBatch {
  readonly endedAt: Date | string;
  readonly entryId: string;
  readonly changeSeq: number;
  readonly purged: number;
}

/** The total, and the removed entry's fields if the entry was removed. */
type CountRow = { readonly total: number } & Partial<RemovedEntry>;
type RemovalOf = Pick<RemovedEntry, 'removedAt' | 'requestId'>;
type IntervalRow = Omit<StoredHistoryInterval, 'evidence'> & { readonly evidence: string };

@Injectable()
export class HistoryRepository {
  constructor(private readonly statements: SqlClient) {}

  /** Returns the phases of entries since a time, the oldest first. Runs one statement outside of any transaction. */
  async findPhases(
    accountId: string,
    entryIds: readonly string[],
    since: Date,
  ): Promise<ReadonlyMap<string, readonly PhaseSince[]>> {
    type Row = PhaseSince & { readonly entryId: string };
    const rows = await this.statements.run<Row>(PHASES, [accountId, entryIds, since]);
    return Map.groupBy(rows, ({ entryId }) => entryId);
  }

  /** Call inside a unit of work. Several events of one entry are written one after another. */
  async record(events: readonly DomainEvent[]): Promise<void> {
    let opened: HistoryInterval[] = [];
    const flush = async () => {
      if (opened.length > 0) await this.openIntervals(opened);
      opened = [];
    };
    for (const { type, payload } of events) {
      const { entryId } = payload as HistoryInterval | HistoryPause;
      if (opened.some((interval) => interval.entryId === entryId)) await flush();
      if (type === 'history.opened') opened.push(payload as HistoryInterval);
      else await this.setPause(payload as HistoryPause);
    }
    await flush();
  }

  private async openIntervals(intervals: readonly HistoryInterval[]): Promise<void> {
    const rows = intervals.map(({ evidence, ...rest }) => ({ ...rest, evidence: JSON.stringify(evidence) }));
    // The former interval ends when its state was last confirmed. The next interval never starts before this end.
    await this.statements.run(sql`
      with opened as (
        select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as o(
          "entryId" text, "changeSeq" int, status text, phase text, move text, "firstSeenAt" timestamptz,
          "formerLastSeenAt" timestamptz, "expiresAt" timestamptz, evidence text)),
      ended as (
        update watch_history h
        set last_seen_at = greatest(h.first_seen_at, coalesce(h.last_seen_at, o."formerLastSeenAt"))
        from opened o
        where h.entry_id = o."entryId" and h.change_seq = o."changeSeq" - 1
        returning h.entry_id, h.change_seq, h.last_seen_at)
      insert into watch_history
        (entry_id, change_seq, status, phase, move, first_seen_at, expires_at, evidence)
      select o."entryId", o."changeSeq", o.status, o.phase, o.move,
        greatest(o."firstSeenAt", ended.last_seen_at), o."expiresAt", o.evidence
      from opened o
      left join ended on ended.entry_id = o."entryId" and ended.change_seq = o."changeSeq" - 1
      on conflict do nothing`);
  }

  /** Sets the end of an entry's current history interval when a pause begins, and clears it when the pause ends. */
  private async setPause({ entryId, changeSeq, lastSeenAt }: HistoryPause): Promise<void> {
    await this.statements.run(sql`
      update watch_history set last_seen_at = ${lastSeenAt}
      where entry_id = ${entryId} and change_seq = ${changeSeq}`);
  }

  /** Ends and keeps the history of entries. Call in the unit of work that removes the entries, before their removal. */
  async keep(entryIds: readonly string[], { removedAt, requestId }: RemovalOf): Promise<void> {
    await this.statements.run(sql`
      with removed as (
        select e.id, e.account_id, e.domain, e.created_at, n.facts, n.facts_confirmed_at
        from watch_entries e join watched_names n on n.domain = e.domain where e.id = any(${[...entryIds]}::text[])),
      ended as (
        update watch_history h set last_seen_at = ${sqlText(LAST_SEEN_AT)}, expires_at = ${sqlText(EXPIRES_AT)}
        from removed n where h.entry_id = n.id and h.last_seen_at is null)
      insert into removed_entries (id, account_id, domain, added_at, removed_at, request_id)
      select id, account_id, domain, created_at, ${removedAt.toISOString()}::timestamptz, ${requestId} from removed`);
  }

  /** Deletes the history of entries that are deleted together with their account. Call inside a unit of work. */
  async removeAll(entryIds: readonly string[]): Promise<void> {
    await this.statements.run(sql`delete from watch_history where entry_id = any(${[...entryIds]}::text[])`);
  }

  /** Returns null if the account has no such present or removed entry. Runs two statements outside any transaction. */
  async findPage(accountId: string, entryId: string, page: number, perPage: number): Promise<HistoryPage | null> {
    const [rows, [counted]] = await Promise.all([
      this.statements.run<IntervalRow>(PAGE, [accountId, entryId, perPage, (page - 1) * perPage]),
      this.statements.run<CountRow>(COUNT, [accountId, entryId]),
    ]);
    if (!counted) return null;
    const { total, ...removed } = counted;
    return {
      rows: rows.map((row) => ({ ...row, evidence: parseEvidence(row.evidence) })),
      total,
      removed: isRemoved(removed) ? removed : null,
    };
  }

  /**
   * The latest removal comes first.
   * @param domain an A-label; null means all names
   */
  async findRemoved(accountId: string, domain: string | null, page: number, perPage: number) {
    const statements = domain === null ? REMOVED_OF_ACCOUNT : REMOVED_OF_NAME;
    const owned = domain === null ? [accountId] : [accountId, domain];
    const [rows, [counted]] = await Promise.all([
      this.statements.run<RemovedEntry>(statements.page, [...owned, perPage, (page - 1) * perPage]),
      this.statements.run<{ total: number }>(statements.count, owned),
    ]);
    return { rows, total: counted?.total ?? 0 };
  }

  /** Deletes history beyond the plan's retention, in short transactions. @returns how many intervals were deleted */
  async purge({ byPlan, fallback: otherwise }: HistoryRetention, signal?: AbortSignal): Promise<number> {
    const cutoffsByPlan = [...byPlan].map(([plan, since]) => ({ plan, since }));
    const cutoffs = [...byPlan.values(), otherwise].filter((since) => since !== null);
    if (cutoffs.length === 0) return 0;
    const latest = new Date(Math.max(...cutoffs.map((since) => since.getTime())));
    const retention = [JSON.stringify(cutoffsByPlan), otherwise, latest];
    const intervals = await this.purgeAll(PURGE_INTERVALS, retention, signal);
    await this.purgeAll(PURGE_REMOVED, retention, signal);
    return intervals;
  }

  /** Deletes an account's removed entries and their history. @returns how many entries were deleted */
  async removeOfAccount(accountId: string, limit: number): Promise<number> {
    return (await this.statements.run(REMOVE_OF_ACCOUNT, [accountId, limit])).length;
  }

  private async purgeAll(
    statement: SqlStatement,
    retention: readonly unknown[],
    signal?: AbortSignal,
  ): Promise<number> {
    let total = 0;
    let last: PurgedBatch | undefined = { endedAt: '-infinity', entryId: '', changeSeq: 0, purged: 0 };
    while (last && !signal?.aborted) {
      const cursor: unknown[] = [last.endedAt, last.entryId, last.changeSeq];
      [last] = await this.statements.run<PurgedBatch>(statement, [...retention, ...cursor]);
      total += last?.purged ?? 0;
    }
    return total;
  }
}

function isRemoved(entry: Partial<RemovedEntry>): entry is RemovedEntry {
  return entry.removedAt instanceof Date;
}
