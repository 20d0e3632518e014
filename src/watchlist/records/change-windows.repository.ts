import { LockMode } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { ChangeWindow, type OverIfStarted } from '../domain/change-window.js';
import { SqlClient } from '../../platform/database/sql-client.js';

/** Few enough for a short transaction. */
const PURGE_BATCH_SIZE = 1_000;

/** A change that needs one has it locked. */
export const PURGE_CHANGE_WINDOWS = {
  name: 'change_windows_purge',
  text: `with unneeded as (
           select id from change_windows where held = 0 and (started_at <= $1 or started_at > $2)
           limit ${PURGE_BATCH_SIZE} for update skip locked),
         purged as (delete from change_windows where id = any(array(select id from unneeded)) returning 1)
         select count(*)::int as purged from purged`,
};

/** Without names there is nothing to report, so none of the windows is reported in between with a part of its names. */
const REMOVE_NAMES_OF_ACCOUNT = {
  name: 'account_remove_held_changes',
  text: `with emptied as (update change_windows set held = 0 where account_id = $1 and held > 0),
         own as (
           select window_id, domain from held_changes join change_windows on id = window_id
           where account_id = $1 limit $2)
         delete from held_changes h using own where h.window_id = own.window_id and h.domain = own.domain returning 1`,
};
const REMOVE_OF_ACCOUNT = {
  name: 'account_remove_change_windows',
  text: `delete from change_windows where id = any(array(
           select id from change_windows where account_id = $1 limit $2)) returning 1`,
};

/** Runs inside a unit of work, which stores what changes in windows; `purge` is a statement of its own. */
@Injectable()
export class ChangeWindowRepository {
  constructor(
    private readonly entities: EntityManager,
    private readonly statements: SqlClient,
  ) {}

  /**
   * These windows, or what is stored under their ids; in any order. Locked until the unit of work ends, in one order, so
   * that the changes of two names with the same watchers cannot block each other.
   */
  async findOrOpen(windows: readonly ChangeWindow[]): Promise<ChangeWindow[]> {
    const rows = windows.map(({ id, accountId, kind, after, intent, tags, startedAt }) => {
      return { id, account_id: accountId, kind, after, intent, tags, started_at: startedAt };
    });
    await sql`
      insert into change_windows (id, account_id, kind, after, intent, tags, started_at, sent, held, continues)
      select id, account_id, kind, after, intent, tags, started_at, '{}', 0, false
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given(
        id text, account_id text, kind text, after jsonb, intent text, tags text[], started_at timestamptz)
      order by id
      on conflict (id) do update set id = excluded.id`.execute(this.entities.getKysely());
    return this.entities.find(ChangeWindow, { id: { $in: rows.map(({ id }) => id) } });
  }

  /** Adds the name to those that these windows hold. @returns the ids of those that did not hold it */
  async hold(ids: readonly string[], name: string): Promise<ReadonlySet<string>> {
    const { rows } = await sql<{ id: string }>`
      insert into held_changes (window_id, domain) select unnest(${[...ids]}::text[]), ${name}
      on conflict do nothing
      returning window_id as id`.execute(this.entities.getKysely());
    return new Set(rows.map(({ id }) => id));
  }

  /** Windows that are over and hold names, locked; without those that others have locked. */
  findHoldingForUpdate({ by, orAfter }: OverIfStarted, limit: number): Promise<ChangeWindow[]> {
    return this.entities.find(
      ChangeWindow,
      { held: { $gt: 0 }, $or: [{ startedAt: { $lte: by } }, { startedAt: { $gt: orAfter } }] },
      { orderBy: { startedAt: 'asc', id: 'asc' }, limit, lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE },
    );
  }

  /** Removes the names that a window holds. @returns the first of them by the alphabet */
  async releaseNames(id: string, limit: number): Promise<string[]> {
    const { rows } = await sql<{ domain: string }>`
      with released as (delete from held_changes where window_id = ${id} returning domain)
      select domain from released order by domain limit ${limit}`.execute(this.entities.getKysely());
    return rows.map(({ domain }) => domain);
  }

  /** Deletes those that are over and hold nothing, which is as if they had not been, in short transactions. @returns how many */
  async purge({ by, orAfter }: OverIfStarted, signal?: AbortSignal): Promise<number> {
    let total = 0;
    for (let purged = PURGE_BATCH_SIZE; purged === PURGE_BATCH_SIZE && !signal?.aborted; total += purged)
      purged = (await this.statements.run<{ purged: number }>(PURGE_CHANGE_WINDOWS, [by, orAfter]))[0]?.purged ?? 0;
    return total;
  }

  /** Deletes names that are held in the windows of an account. @returns how many; outside of any transaction */
  async removeNamesOfAccount(accountId: string, limit: number): Promise<number> {
    return (await this.statements.run(REMOVE_NAMES_OF_ACCOUNT, [accountId, limit])).length;
  }

  /** Deletes windows of an account, after the names in them. @returns how many; outside of any transaction */
  async removeOfAccount(accountId: string, limit: number): Promise<number> {
    return (await this.statements.run(REMOVE_OF_ACCOUNT, [accountId, limit])).length;
  }
}
