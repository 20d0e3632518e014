import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { SqlClient } from '../../../platform/database/sql-client.js';
import { parseEvidence } from '../column-types.js';
import {
  HistoryRepository,
  type HistoryPage,
  type HistoryRetention,
  type StoredHistoryInterval,
} from '../../application/ports/history-repository.js';
import type { HistoryInterval, HistoryPause } from '../../domain/entry/history.js';

/** Few enough for a short transaction. */
const PURGE_BATCH_SIZE = 1_000;

/** The current interval has no end: it shows the name's latest confirmation and its current expiry date. */
const PAGE = {
  name: 'history_page',
  text: `select h.status, h.phase, h.move, h.change_seq, h.first_seen_at, h.evidence,
           case when h.last_seen_at is null then (n.facts::jsonb ->> 'expiresAt')::timestamptz else h.expires_at end
             as expires_at,
           coalesce(h.last_seen_at, n.proof_at, h.first_seen_at) as last_seen_at
         from watch_history h join watch_entries e on e.id = h.entry_id join watched_names n on n.domain = e.domain
         where h.entry_id = $2 and e.account_id = $1 order by h.change_seq desc limit $3 offset $4`,
};
const COUNT = {
  name: 'history_count',
  text: `select count(*)::int as total from watch_history h join watch_entries e on e.id = h.entry_id
         where h.entry_id = $2 and e.account_id = $1`,
};
/**
 * Current intervals stay, however old. The bound `$3` lets the index skip everything newer. Reads so many intervals at a
 * time, kept ones too, and says where the next ones begin; locked ones are left to the next run.
 */
const PURGE = {
  name: 'history_purge',
  text: `with ended as materialized (
           select entry_id, change_seq, last_seen_at from watch_history
           where last_seen_at < $3 and last_seen_at >= $4 and (last_seen_at, entry_id, change_seq) > ($4, $5, $6)
           order by last_seen_at, entry_id, change_seq limit ${PURGE_BATCH_SIZE}),
         expired as (
           select h.entry_id, h.change_seq from ended
             join watch_history h on h.entry_id = ended.entry_id and h.change_seq = ended.change_seq
             join watch_entries e on e.id = h.entry_id join accounts a on a.id = e.account_id
             left join jsonb_to_recordset($1::jsonb) as kept(plan text, since timestamptz) on kept.plan = a.plan
           where h.last_seen_at < case when kept.plan is null then $2::timestamptz else kept.since end
           for update of h skip locked),
         purged as (
           delete from watch_history h using expired x
           where h.entry_id = x.entry_id and h.change_seq = x.change_seq returning 1)
         select last_seen_at as "lastSeenAt", entry_id as "entryId", change_seq as "changeSeq",
           (select count(*)::int from purged) as purged
         from ended order by last_seen_at desc, entry_id desc, change_seq desc limit 1`,
};

/** The last interval that was read, and how many were deleted with it. */
interface PurgedBatch {
  readonly lastSeenAt: Date | string;
  readonly entryId: string;
  readonly changeSeq: number;
  readonly purged: number;
}

type IntervalRow = Omit<StoredHistoryInterval, 'evidence'> & { readonly evidence: string };

@Injectable()
export class PostgresHistoryRepository extends HistoryRepository {
  constructor(
    private readonly statements: SqlClient,
    private readonly entities: EntityManager,
  ) {
    super();
  }

  async openIntervals(intervals: readonly HistoryInterval[]): Promise<void> {
    const rows = intervals.map(({ evidence, ...rest }) => ({ ...rest, evidence: JSON.stringify(evidence) }));
    // An interval ends with its last confirmation, and the next one never starts before that.
    await sql`
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
      on conflict do nothing`.execute(this.entities.getKysely());
  }

  async setPause({ entryId, changeSeq, lastSeenAt }: HistoryPause): Promise<void> {
    await sql`
      update watch_history set last_seen_at = ${lastSeenAt}
      where entry_id = ${entryId} and change_seq = ${changeSeq}`.execute(this.entities.getKysely());
  }

  async findPage(accountId: string, entryId: string, page: number, perPage: number): Promise<HistoryPage> {
    const [rows, [counted]] = await Promise.all([
      this.statements.run<IntervalRow>(PAGE, [accountId, entryId, perPage, (page - 1) * perPage]),
      this.statements.run<{ total: number }>(COUNT, [accountId, entryId]),
    ]);
    return { rows: rows.map((row) => ({ ...row, evidence: parseEvidence(row.evidence) })), total: counted?.total ?? 0 };
  }

  async purge({ byPlan, fallback: otherwise }: HistoryRetention, signal?: AbortSignal): Promise<number> {
    const cutoffsByPlan = [...byPlan].map(([plan, since]) => ({ plan, since }));
    const cutoffs = [...byPlan.values(), otherwise].filter((since) => since !== null);
    if (cutoffs.length === 0) return 0;
    const latest = new Date(Math.max(...cutoffs.map((since) => since.getTime())));
    const retention = [JSON.stringify(cutoffsByPlan), otherwise, latest];
    let total = 0;
    let last: PurgedBatch | undefined = { lastSeenAt: '-infinity', entryId: '', changeSeq: 0, purged: 0 };
    while (last && !signal?.aborted) {
      const cursor: unknown[] = [last.lastSeenAt, last.entryId, last.changeSeq];
      [last] = await this.statements.run<PurgedBatch>(PURGE, [...retention, ...cursor]);
      total += last?.purged ?? 0;
    }
    return total;
  }
}
