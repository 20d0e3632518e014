import { type FilterQuery, LockMode, raw } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { DomainName } from '../domains/language.js';
import { WatchEntry } from './domain/watch-entry.js';
import type { WatchedName } from './domain/watched-name.js';
import { SqlClient } from '../platform/database/sql-client.js';
import { sql, sqlText } from '../platform/database/sql.js';
import type { KnownEntry } from './domain/row.js';
import { entrySettingColumns, watchedNameColumns, watchEntryColumns } from './mappings.js';

const WATCHES = {
  name: 'entry_watches',
  text: 'select 1 from watch_entries where account_id = $1 and domain = $2 and created_at <= $3 and not paused',
};

const IDS = {
  name: 'entry_ids',
  text: 'select domain, id from watch_entries where account_id = $1 and domain = any($2)',
};

const NEW_NAME = watchedNameColumns.pick('domain', 'operator', 'intervalMinutes', 'nextCheckAt');
const BY_DOMAINS = {
  name: 'entries_of_rows',
  text: `select id, domain, ${entrySettingColumns.list()} from watch_entries
         where account_id = $1 and domain = any($2::text[])`,
};
const COUNT = { name: 'entries_of_account', text: 'select entries from entry_counts where account_id = $1' };
const DOMAIN_OF = {
  name: 'entry_domain',
  text: 'select domain from watch_entries where id = $1 and account_id = $2',
};
const DOMAINS = {
  name: 'entry_domains',
  text: 'select domain from watch_entries where account_id = $1 and domain > $2 order by domain limit $3',
};
const REMOVE_COUNT = {
  name: 'entry_count_remove',
  text: `delete from entry_counts where account_id = $1 returning 1`,
};
/** SQL condition that leaves out the entries of suspended accounts, because their state must not change. */
const OF_ACTIVE_ACCOUNT = raw(
  (alias) => `not exists (select from accounts a where a.id = ${alias}.account_id and a.suspended_at is not null)`,
);
const LOCK_IN_ORDER = { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE } as const;
const toName = (ascii: string) => DomainName.restore(ascii);

@Injectable()
export class WatchEntryRepository {
  constructor(
    private readonly entities: EntityManager,
    private readonly statements: SqlClient,
  ) {}

  /**
   * Returns A-labels that the account watches, in order, beginning after the label `after`. Runs one statement outside
   * of any transaction.
   */
  async findDomains(accountId: string, after: string, limit: number): Promise<string[]> {
    const rows = await this.statements.run<{ domain: string }>(DOMAINS, [accountId, after, limit]);
    return rows.map(({ domain }) => domain);
  }

  /** Returns the account's entries for these names, locked until the unit of work ends. Lock the names first. */
  findAllForUpdate(accountId: string, domains: readonly string[]): Promise<WatchEntry[]> {
    const lockMode = LockMode.PESSIMISTIC_WRITE;
    return this.entities.find(WatchEntry, { accountId, domain: { $in: domains.map(toName) } }, { lockMode });
  }

  async findDomain(accountId: string, id: string): Promise<DomainName | null> {
    const [row] = await this.statements.run<{ domain: string }>(DOMAIN_OF, [id, accountId]);
    return row ? DomainName.restore(row.domain) : null;
  }

  /** Whether the account has an active entry for the name, added no later than this time. */
  async isWatching(accountId: string, { ascii }: DomainName, at: Date): Promise<boolean> {
    return (await this.statements.run(WATCHES, [accountId, ascii, at])).length > 0;
  }

  /** Returns the account's entry ids by A-label. */
  async findIds(accountId: string, names: readonly DomainName[]): Promise<ReadonlyMap<string, string>> {
    const domains = names.map(({ ascii }) => ascii);
    const rows = await this.statements.run<{ domain: string; id: string }>(IDS, [accountId, domains]);
    return new Map(rows.map(({ domain, id }) => [domain, id]));
  }

  /** Deletes entries but not their history, and updates the count. Runs one statement; call inside a unit of work. */
  async removeAll(entries: readonly WatchEntry[]): Promise<void> {
    await this.statements.run(sql`
      with removed as (
        delete from watch_entries where id = any(${entries.map(({ id }) => id)}::text[]) returning account_id)
      update entry_counts c set entries = c.entries - r.entries
      from (select account_id, count(*)::int as entries from removed group by account_id) r
      where c.account_id = r.account_id`);
  }

  /** Counts the entries of an account, and blocks other additions until the unit of work ends. */
  async lockAndCount(accountId: string): Promise<number> {
    await this.statements.run(sql`select pg_advisory_xact_lock(hashtextextended(${accountId}, 1))`);
    return this.count(accountId);
  }

  /**
   * Locks and returns the name's active entries. With `boundary`, only those whose status may change by that time
   * without new facts.
   */
  findActiveForUpdate(domain: DomainName, boundary?: Date): Promise<WatchEntry[]> {
    return this.findActive({ domain, ...(boundary && { boundaryAt: { $lte: boundary } }) });
  }

  /**
   * Copies values of a name to its entries, for sorting and filtering. An entry gets only answers since it was added.
   */
  async copyShown({ domain, facts, factsConfirmedAt, lastCheckedAt, failingSince }: WatchedName): Promise<void> {
    await this.statements.run(sql`
      with shown as (
        select id, created_at <= ${lastCheckedAt}::timestamptz is true as answered,
          case when created_at <= ${factsConfirmedAt}::timestamptz then ${facts?.expiresAt ?? null}::timestamptz end as expires_at,
          ${failingSince !== null}::boolean as failing
        from watch_entries where domain = ${domain})
      update watch_entries e set answered = s.answered, expires_at = s.expires_at, failing = s.failing
      from shown s
      where e.id = s.id
        and (e.answered, e.expires_at, e.failing) is distinct from (s.answered, s.expires_at, s.failing)`);
  }

  /** Locks and returns the entries of a name that have an expected record, including paused entries. */
  findExpectingForUpdate(domain: DomainName): Promise<WatchEntry[]> {
    return this.entities.find(WatchEntry, { domain, expected: { $ne: null } }, LOCK_IN_ORDER);
  }

  /**
   * Locks and returns the name's active entries with this value of `failureNotified` (the watcher knows of failing
   * checks).
   */
  findByFailureNotified(domain: DomainName, failureNotified: boolean): Promise<WatchEntry[]> {
    return this.findActive({ domain, failureNotified });
  }

  /** Deletes the stored entry count of an account. @returns 1, or 0 if no count was stored */
  async removeCount(accountId: string): Promise<number> {
    return (await this.statements.run(REMOVE_COUNT, [accountId])).length;
  }

  /** Returns the account's entries by domain name in ASCII (A-label). Runs outside of any transaction. */
  async findByDomains(accountId: string, domains: readonly string[]): Promise<ReadonlyMap<string, KnownEntry>> {
    type Row = { readonly id: string; readonly domain: string; readonly [column: string]: unknown };
    const rows = await this.statements.run<Row>(BY_DOMAINS, [accountId, domains]);
    return new Map(rows.map((row) => [row.domain, { id: row.id, settings: entrySettingColumns.toFields(row) }]));
  }

  /** Reads the stored count of the account's entries. */
  async count(accountId: string): Promise<number> {
    const [row] = await this.statements.run<{ entries: number }>(COUNT, [accountId]);
    return row?.entries ?? 0;
  }

  /**
   * Call before locking any name. All transactions insert in the same order, so they cannot deadlock.
   * @returns the inserted names
   */
  async insertNames(names: readonly WatchedName[]): Promise<ReadonlySet<string>> {
    if (names.length === 0) return new Set();
    const rows = names.map((name) => NEW_NAME.toRow(name));
    const columns = sqlText(NEW_NAME.list());
    const inserted = await this.statements.run<{ domain: string }>(sql`
      insert into watched_names (${columns})
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as started(${sqlText(NEW_NAME.definitions)})
      order by domain
      on conflict (domain) do nothing returning domain`);
    return new Set(inserted.map(({ domain }) => domain));
  }

  /** Inserts and counts new entries, which have no events yet. Bypasses the ORM, which takes five times as long. */
  async insertWithoutEvents(entries: readonly WatchEntry[]): Promise<void> {
    if (entries.length === 0) return;
    if (entries.some((entry) => entry.releaseEvents().length > 0)) throw new Error('an entry has pending events');
    const rows = entries.map((entry) => watchEntryColumns.toRow(entry));
    const columns = sqlText(watchEntryColumns.list());
    await this.statements.run(sql`
      with added as (
        insert into watch_entries (${columns})
        select ${columns} from jsonb_populate_recordset(null::watch_entries, ${JSON.stringify(rows)}::jsonb)
        returning account_id)
      insert into entry_counts as c (account_id, entries)
      select account_id, count(*) from added group by account_id
      on conflict (account_id) do update set entries = c.entries + excluded.entries`);
  }

  private findActive(where: FilterQuery<WatchEntry> & object): Promise<WatchEntry[]> {
    return this.entities.find(WatchEntry, { ...where, paused: false, [OF_ACTIVE_ACCOUNT]: [] }, LOCK_IN_ORDER);
  }
}
