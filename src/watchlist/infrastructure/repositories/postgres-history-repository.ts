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
/** Current intervals stay, however old. The bound `$3` lets the index skip everything newer. */
const PURGE = {
  name: 'history_purge',
  text: `delete from watch_history h
         using watch_entries e join accounts a on a.id = e.account_id
           left join jsonb_to_recordset($1::jsonb) as kept(plan text, since timestamptz) on kept.plan = a.plan
         where h.last_seen_at < $3 and e.id = h.entry_id
           and h.last_seen_at < case when kept.plan is null then $2::timestamptz else kept.since end
         returning 1`,
};

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

  async purge({ byPlan, fallback: otherwise }: HistoryRetention): Promise<number> {
    const cutoffsByPlan = [...byPlan].map(([plan, since]) => ({ plan, since }));
    const cutoffs = [...byPlan.values(), otherwise].filter((since) => since !== null);
    if (cutoffs.length === 0) return 0;
    const latest = new Date(Math.max(...cutoffs.map((since) => since.getTime())));
    return (await this.statements.run(PURGE, [JSON.stringify(cutoffsByPlan), otherwise, latest])).length;
  }
}
