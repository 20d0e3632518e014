import { Injectable } from '@nestjs/common';
import { DomainName } from '../../domains/language.js';
import { SqlClient } from '../../platform/database/sql-client.js';

export interface PlanMinimums {
  readonly byPlan: ReadonlyMap<string, number>;
  /** Applies to accounts with none of these plans. */
  readonly fallback: number;
}

/** An entry whose required interval is not what its plan says. */
export interface OutOfSyncEntry {
  readonly accountId: string;
  readonly id: string;
  readonly domain: DomainName;
  readonly minimumMinutes: number;
}

const BATCH_SIZE = 500;

/** Longer than the cache of API keys keeps a former plan, and longer than an import runs. */
const PROPAGATION_PERIOD = '15 minutes';
const PENDING_ACCOUNTS = `pending as (
  select a.id, floor.minutes
  from accounts a left join jsonb_to_recordset($1::jsonb) as f(plan text, minutes int) on f.plan = a.plan
    cross join lateral (select coalesce(f.minutes, $2::int) as minutes) as floor
    left join plan_minimums p on p.account_id = a.id
  where p.minutes is distinct from floor.minutes or p.applied_at > now() - interval '${PROPAGATION_PERIOD}')`;
/** The rule of WatchEntry.applyPlanMinimum. */
const IS_OUT_OF_SYNC = 'e.required_interval_minutes <> greatest(e.interval_minutes, u.minutes)';

/** Reads each account's entries by their index, and none where no plan changed; a plain join would read all entries. */
const SELECT_OUT_OF_SYNC = {
  name: 'plan_minimums_out_of_sync',
  text: `with ${PENDING_ACCOUNTS}
         select u.id as "accountId", entry.id, entry.domain, u.minutes as "minimumMinutes"
         from pending u cross join lateral (
           select e.id, e.domain from watch_entries e
           where e.account_id = u.id and ${IS_OUT_OF_SYNC} and e.domain > case when u.id = $3 then $4 else '' end
           order by e.domain limit ${BATCH_SIZE}) as entry
         where u.id >= $3
         order by u.id, entry.domain limit ${BATCH_SIZE}`,
};
/** Writes in one order, so that two schedulers cannot deadlock. */
const MARK_APPLIED = {
  name: 'plan_minimums_mark_applied',
  text: `with ${PENDING_ACCOUNTS}
         insert into plan_minimums as p (account_id, minutes, applied_at)
         select u.id, u.minutes, now() from pending u left join lateral (
           select e.id from watch_entries e where e.account_id = u.id and ${IS_OUT_OF_SYNC} limit 1) as entry on true
         where entry.id is null
         order by u.id
         on conflict (account_id) do update set minutes = excluded.minutes, applied_at = excluded.applied_at
           where p.minutes <> excluded.minutes`,
};

type OutOfSyncRow = Omit<OutOfSyncEntry, 'domain'> & { readonly domain: string };

/**
 * Tracks which accounts have their plan's minimum applied. An account is scanned until all its entries match, and for
 * some minutes after, in case a request under the former plan adds one more.
 */
@Injectable()
export class PlanMinimumRepository {
  constructor(private readonly statements: SqlClient) {}

  /**
   * The next entries out of sync, account by account; one statement, outside of any transaction.
   * @param last of the previous page; null for the first
   */
  async findOutOfSync(floors: PlanMinimums, last: OutOfSyncEntry | null): Promise<readonly OutOfSyncEntry[]> {
    const cursor = [last?.accountId ?? '', last?.domain.ascii ?? ''];
    const rows = await this.statements.run<OutOfSyncRow>(SELECT_OUT_OF_SYNC, [...toParameters(floors), ...cursor]);
    return rows.map((row) => ({ ...row, domain: DomainName.restore(row.domain) }));
  }

  /** Records the accounts whose entries all match; one statement. */
  async markApplied(floors: PlanMinimums): Promise<void> {
    await this.statements.run(MARK_APPLIED, toParameters(floors));
  }
}

function toParameters({ byPlan, fallback: otherwise }: PlanMinimums): unknown[] {
  return [JSON.stringify([...byPlan].map(([plan, minutes]) => ({ plan, minutes }))), otherwise];
}
