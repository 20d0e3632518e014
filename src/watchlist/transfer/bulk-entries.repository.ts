import { LockMode } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import type { WatchEntry } from '../domain/watch-entry.js';
import { WatchedName } from '../domain/watched-name.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import { TransactionConflict } from '../../kernel/unit-of-work.js';
import { watchedNameColumns, watchEntryColumns } from '../mappings.js';

/** The other columns have defaults. */
const NEW_NAME = watchedNameColumns.pick('domain', 'operator', 'intervalMinutes', 'nextCheckAt');

const KNOWN_NAMES = {
  name: 'bulk_known_names',
  text: 'select domain from watched_names where domain = any($1::text[])',
};

/** Bulk access, one statement per method; inside a unit of work, unless it says otherwise. */
@Injectable()
export class BulkEntryRepository {
  constructor(
    private readonly entities: EntityManager,
    private readonly statements: SqlClient,
  ) {}

  /** Those of these names that are known already; outside any transaction. */
  async findKnownNames(domains: readonly string[]): Promise<ReadonlySet<string>> {
    const known = await this.statements.run<{ domain: string }>(KNOWN_NAMES, [domains]);
    return new Set(known.map(({ domain }) => domain));
  }

  /** The ids of the account's entries for these names, by name. */
  async findEntryIds(accountId: string, domains: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = await sql<{ domain: string; id: string }>`
      select domain, id from watch_entries
      where account_id = ${accountId} and domain = any(${[...domains]}::text[])`.execute(this.entities.getKysely());
    return new Map(found.rows.map(({ domain, id }) => [domain, id]));
  }

  /**
   * Inserts unknown names.
   * @returns the existing ones, by name, locked until the unit of work ends. Locks are taken in the order of names, and
   * a long wait fails with TransactionConflict, so two imports never deadlock.
   */
  async createOrFindNames(starts: readonly WatchedName[]): Promise<ReadonlyMap<string, WatchedName>> {
    await this.setShortLockTimeout();
    const inserted = await this.insertNew(starts);
    const existing = starts.map(({ domain }) => domain).filter((domain) => !inserted.has(domain));
    if (existing.length === 0) return new Map();
    const lockInOrder = { orderBy: { domain: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE } as const;
    const names = await this.entities.find(WatchedName, { domain: { $in: existing } }, lockInOrder);
    if (names.length < existing.length) throw new TransactionConflict('a name was purged while it was read');
    return new Map(names.map((name) => [name.domain, name]));
  }

  /**
   * Inserts new entries, which have no events yet. The ORM takes five times as long, mostly to compute
   * that every row is new.
   */
  async insertWithoutEvents(entries: readonly WatchEntry[]): Promise<void> {
    if (entries.length === 0) return;
    if (entries.some((entry) => entry.releaseEvents().length > 0)) throw new Error('an entry has pending events');
    const rows = entries.map((entry) => watchEntryColumns.toRow(entry));
    const columns = sql.raw(watchEntryColumns.list());
    await sql`
      insert into watch_entries (${columns})
      select ${columns} from jsonb_populate_recordset(null::watch_entries, ${JSON.stringify(rows)}::jsonb)`.execute(
      this.entities.getKysely(),
    );
  }

  /**
   * Check results are written many in one statement, in any order, and PostgreSQL aborts one side of a deadlock after a
   * second. A bulk addition can be retried, so it gives up before that.
   */
  private async setShortLockTimeout(): Promise<void> {
    await sql`set local lock_timeout = '500ms'`.execute(this.entities.getKysely());
  }

  /** Where another transaction inserts the same name, the insert waits for it, and the row exists afterwards. */
  private async insertNew(names: readonly WatchedName[]): Promise<ReadonlySet<string>> {
    const rows = names.map((name) => NEW_NAME.toRow(name));
    const columns = sql.raw(NEW_NAME.list());
    const inserted = await sql<{ domain: string }>`
      insert into watched_names (${columns})
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as started(${sql.raw(NEW_NAME.definitions)})
      order by domain
      on conflict (domain) do nothing returning domain`.execute(this.entities.getKysely());
    return new Set(inserted.rows.map(({ domain }) => domain));
  }
}
