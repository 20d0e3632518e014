import { Injectable } from '@nestjs/common';
import type { HttpValidators } from '../../domains/index.js';
import type { DropListId, DropListing } from '../../domains/language.js';
import { SqlClient } from '../../platform/database/sql-client.js';

/** The last applied state of a drop list (names that a registry will delete). */
export interface AppliedDropList {
  readonly validators: HttpValidators;
  readonly appliedAt: Date | null;
  readonly size: number;
}

const CLAIM = {
  name: 'drop_list_claim',
  text: `insert into drop_lists (name, next_fetch_at) values ($1, $3)
    on conflict (name) do update set next_fetch_at = excluded.next_fetch_at where drop_lists.next_fetch_at <= $2
    returning etag, last_modified as "lastModified", applied_at as "appliedAt", size`,
};
const POSTPONE = { name: 'drop_list_postpone', text: 'update drop_lists set next_fetch_at = $2 where name = $1' };
const MARK_APPLIED = {
  name: 'drop_list_applied',
  text: `update drop_lists set next_fetch_at = $2, etag = $3, last_modified = $4, applied_at = $5, size = $6
    where name = $1`,
};
/** If the deletion time has changed, resets `window_began`, so that the name is checked at the new time. */
const STORE = {
  name: 'drop_listings_store',
  text: `insert into drop_listings (domain, list, drop_at, listed_at)
    select n.domain, l.list, l.drop_at, $4
    from unnest($1::text[], $2::text[], $3::timestamptz[]) as l (domain, list, drop_at)
      join watched_names n on n.domain = l.domain
    on conflict (domain) do update set list = excluded.list, drop_at = excluded.drop_at, listed_at = excluded.listed_at,
      window_began = drop_listings.window_began and drop_listings.drop_at = excluded.drop_at`,
};
const REMOVE_OLDER = {
  name: 'drop_listings_remove',
  text: `with gone as (delete from drop_listings where list = $1 and listed_at < $2 returning domain, drop_at),
    due as (
      update watched_names n set next_check_at = $2
      from gone where n.domain = gone.domain and gone.drop_at > $2 and n.next_check_at > $2 and n.failures = 0
      returning 1)
    select count(*)::int as count from due`,
};
const LAST_APPLIED = {
  name: 'drop_lists_last_applied',
  text: 'select max(applied_at) as at from drop_lists where name = any($1)',
};
const FIND_SINCE = {
  name: 'drop_listings_since',
  text: `select domain, list, drop_at as "dropAt" from drop_listings where list = any($1) and drop_at > $2`,
};
const BEGIN_WINDOWS = {
  name: 'drop_windows_begin',
  text: `with beginning as (
      update drop_listings set window_began = true
      where list = any($1) and drop_at > $2 and drop_at <= $3 and not window_began returning domain),
    due as (
      update watched_names n set next_check_at = $2
      from beginning where n.domain = beginning.domain and n.next_check_at > $2 and n.failures = 0
      returning 1)
    select count(*)::int as count from due`,
};

interface DropListRow extends Omit<AppliedDropList, 'validators'> {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

@Injectable()
export class DropListingRepository {
  constructor(private readonly statements: SqlClient) {}

  /** Reserves a due list for this process until `retryAt`. Returns null if the list is not due. */
  async claim(list: DropListId, now: Date, retryAt: Date): Promise<AppliedDropList | null> {
    const [row] = await this.statements.run<DropListRow>(CLAIM, [list, now, retryAt]);
    if (!row) return null;
    const { etag, lastModified, ...applied } = row;
    return { ...applied, validators: { etag, lastModified } };
  }

  async postpone(list: DropListId, nextFetchAt: Date): Promise<void> {
    await this.statements.run(POSTPONE, [list, nextFetchAt]);
  }

  async store(listings: readonly DropListing[], at: Date): Promise<void> {
    const domains = listings.map(({ domain }) => domain);
    const lists = listings.map(({ list }) => list);
    const times = listings.map(({ dropAt }) => dropAt);
    await this.statements.run(STORE, [domains, lists, times, at]);
  }

  /**
   * Removes names that left the list. A name that left before its deletion time becomes due: it may have been renewed.
   * @param at when the current list was stored
   * @returns how many names became due
   */
  async removeOlder(list: DropListId, at: Date): Promise<number> {
    const [row] = await this.statements.run<{ count: number }>(REMOVE_OLDER, [list, at]);
    return row?.count ?? 0;
  }

  async markApplied(
    list: DropListId,
    { nextFetchAt, validators, appliedAt, size }: AppliedDropList & { readonly nextFetchAt: Date },
  ): Promise<void> {
    const { etag, lastModified } = validators;
    await this.statements.run(MARK_APPLIED, [list, nextFetchAt, etag, lastModified, appliedAt, size]);
  }

  async lastAppliedAt(lists: readonly DropListId[]): Promise<Date | null> {
    const [row] = await this.statements.run<{ at: Date | null }>(LAST_APPLIED, [lists]);
    return row?.at ?? null;
  }

  findSince(lists: readonly DropListId[], since: Date): Promise<readonly DropListing[]> {
    return this.statements.run<DropListing>(FIND_SINCE, [lists, since]);
  }

  /**
   * Makes names due whose deletion time is between `now` and `until`, once for each deletion time. Skips names whose
   * checks fail.
   * @returns how many names became due
   */
  async beginDropWindows(lists: readonly DropListId[], now: Date, until: Date): Promise<number> {
    const [row] = await this.statements.run<{ count: number }>(BEGIN_WINDOWS, [lists, now, until]);
    return row?.count ?? 0;
  }
}
