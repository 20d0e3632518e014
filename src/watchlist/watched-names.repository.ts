import { LockMode } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { DomainName, Evidence } from '../domains/language.js';
import { WatchedName } from './domain/watched-name.js';
import { SqlClient } from '../platform/database/sql-client.js';
import { sql, sqlText } from '../platform/database/sql.js';
import { parseEvidence } from './mappings.js';

/** The interval of entry `e`, or the plan's minimum if that is longer. */
export const REQUIRED_INTERVAL = 'greatest(e.interval_minutes, required.minimum_minutes)';
export const JOIN_MINIMUM = 'left join followed_accounts required on required.account_id = e.account_id';

/**
 * Lists operators with scheduled names; the last row is null. Reads the index backwards, because its many deleted
 * entries have the earliest times.
 */
export const WATCHED_OPERATORS = `recursive operators as (
  (select operator from watched_names where next_check_at is not null order by operator desc limit 1)
  union all
  select (select n.operator from watched_names n
          where n.operator < o.operator and n.next_check_at is not null order by n.operator desc limit 1)
  from operators o where o.operator is not null)`;

const PURGE_BATCH_SIZE = 500;

/**
 * Skips locked names, which may be getting an entry. With `is null` in place of `num_nulls`, the planner might read all
 * unscheduled names.
 */
const purgeUnwatched = (which: string, resting: string, order: string) => ({
  name: `names_purge_unwatched_${which}`,
  text: `with resting as materialized (
           select domain, last_checked_at from watched_names
           where next_check_at is null and ${resting} order by ${order} limit ${PURGE_BATCH_SIZE}),
         unwatched as (
           select n.domain from resting join watched_names n on n.domain = resting.domain
           where num_nulls(n.next_check_at) = 1
             and not exists (select from watch_entries e where e.domain = n.domain)
           for update of n skip locked),
         purged as (delete from watched_names n using unwatched u where n.domain = u.domain returning 1)
         select coalesce(max(last_checked_at), '-infinity') as "lastCheckedAt",
           (array_agg(domain order by last_checked_at desc, domain desc))[1] as domain,
           (select count(*)::int from purged) as purged, count(*)::int as read
         from resting`,
});
/** Parameters: the time before which names are purged, and the last check and name of the previous batch. */
export const PURGE_UNWATCHED = [
  purgeUnwatched('unchecked', `last_checked_at is null and domain > $3 and $1 > $2::timestamptz`, 'domain'),
  purgeUnwatched(
    'checked',
    `last_checked_at < $1 and last_checked_at >= $2 and (last_checked_at, domain) > ($2, $3)`,
    'last_checked_at, domain',
  ),
];

interface PurgedBatch {
  /** The last check in the batch; minus infinity if no name in the batch was ever checked. */
  readonly lastCheckedAt: Date | number | string;
  readonly domain: string | null;
  readonly purged: number;
  readonly read: number;
}

@Injectable()
export class WatchedNameRepository {
  constructor(
    private readonly entities: EntityManager,
    private readonly statements: SqlClient,
  ) {}

  /** Makes the next check of the name continue this trace. */
  async continueTrace({ ascii }: DomainName, traceparent: string): Promise<void> {
    await this.statements.run(sql`update watched_names set traceparent = ${traceparent} where domain = ${ascii}`);
  }

  /** Locks the name until the unit of work ends, so that results for it are applied one at a time. */
  findForUpdate(name: DomainName): Promise<WatchedName | null> {
    return this.entities.findOne(WatchedName, { domain: name.ascii }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  }

  /** Returns the names that no other transaction has locked, and locks them in order. */
  findUnlockedForUpdate(domains: readonly string[]): Promise<WatchedName[]> {
    const skipLocked = { orderBy: { domain: 'asc' }, lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE } as const;
    return this.entities.find(WatchedName, { domain: { $in: [...domains] } }, skipLocked);
  }

  /**
   * Returns the shortest interval that each name's entries require. Ignores paused entries, suspended accounts and
   * `exceptAccount`. Leaves out names without other entries.
   */
  async shortestIntervals(domains: readonly string[], exceptAccount = ''): Promise<ReadonlyMap<string, number>> {
    const found = await this.statements.run<{ domain: string; shortest: number }>(sql`
      select e.domain, min(${sqlText(REQUIRED_INTERVAL)}) as shortest
      from watch_entries e join accounts a on a.id = e.account_id ${sqlText(JOIN_MINIMUM)}
      where e.domain = any(${[...domains]}::text[]) and e.account_id <> ${exceptAccount} and not e.paused
        and a.suspended_at is null
      group by e.domain`);
    return new Map(found.map(({ domain, shortest }) => [domain, shortest]));
  }

  /** Reads the plan's minimum interval from the database, because the plan in a request may be outdated. */
  async requiredMinimum(accountId: string): Promise<number> {
    const found = await this.statements.run<{ minutes: number }>(sql`
      select minimum_minutes as minutes from followed_accounts where account_id = ${accountId}`);
    return found[0]?.minutes ?? 0;
  }

  /**
   * Deletes unwatched names that were never checked, or not since the given time, in short transactions.
   * @returns how many names were deleted
   */
  async purgeUnwatched(before: Date, signal?: AbortSignal): Promise<number> {
    let total = 0;
    for (const statement of PURGE_UNWATCHED) {
      let last: PurgedBatch | undefined = { lastCheckedAt: '-infinity', domain: '', purged: 0, read: 0 };
      do {
        [last] = await this.statements.run<PurgedBatch>(statement, [before, last.lastCheckedAt, last.domain]);
        total += last?.purged ?? 0;
      } while (last?.read === PURGE_BATCH_SIZE && !signal?.aborted);
    }
    return total;
  }

  /** Returns the evidence of the confirmed facts. The list is empty while there are no confirmed facts. */
  async findEvidence(name: DomainName): Promise<readonly Evidence[]> {
    const found = await this.statements.run<{ evidence: string }>(sql`
      select evidence from name_evidence where domain = ${name.ascii}`);
    return parseEvidence(found[0]?.evidence);
  }

  /** Call inside a unit of work. */
  async saveEvidence(name: DomainName, evidence: readonly Evidence[]): Promise<void> {
    await this.statements.run(sql`
      insert into name_evidence (domain, evidence) values (${name.ascii}, ${JSON.stringify(evidence)})
      on conflict (domain) do update set evidence = excluded.evidence`);
  }
}
