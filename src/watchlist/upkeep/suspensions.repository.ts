import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { SqlClient } from '../../platform/database/sql-client.js';

export interface SuspendedAccount {
  readonly id: string;
  readonly suspendedAt: Date;
}

export interface SuspendedEntry {
  readonly accountId: string;
  readonly id: string;
}

/** An entry of a suspended account; its domain is its place in the account's order. */
export interface EntryToPause extends SuspendedEntry {
  readonly domain: string;
}

const SELECT_SUSPENDED = {
  name: 'suspended_accounts',
  text: `select id, suspended_at as "suspendedAt" from accounts
         where suspended_at is not null and deletion_started_at is null order by id`,
};
const SELECT_TO_PAUSE = {
  name: 'suspensions_to_pause',
  text: `select account_id as "accountId", id, domain from watch_entries
         where account_id = $1 and domain > $2 and not paused order by domain limit $3`,
};
const SELECT_TO_RESUME = {
  name: 'suspensions_to_resume',
  text: `select s.account_id as "accountId", s.entry_id as id
         from suspended_entries s join accounts a on a.id = s.account_id
         where a.suspended_at is null limit $1`,
};

/** Entries that do not follow the suspension state of their account yet. */
@Injectable()
export class SuspensionRepository {
  constructor(
    private readonly entities: EntityManager,
    private readonly statements: SqlClient,
  ) {}

  /** Leaves out accounts that are being deleted: their entries go in any case. */
  findSuspendedAccounts(): Promise<readonly SuspendedAccount[]> {
    return this.statements.run<SuspendedAccount>(SELECT_SUSPENDED, []);
  }

  /** @param afterDomain only those behind it, so that a pass over a large account reads each entry once */
  findToPause(accountId: string, afterDomain: string, limit: number): Promise<readonly EntryToPause[]> {
    return this.statements.run<EntryToPause>(SELECT_TO_PAUSE, [accountId, afterDomain, limit]);
  }

  findToResume(limit: number): Promise<readonly SuspendedEntry[]> {
    return this.statements.run<SuspendedEntry>(SELECT_TO_RESUME, [limit]);
  }

  /** Records that the suspension paused the entry, not its watcher; inside a unit of work. */
  async markPaused({ accountId, id }: SuspendedEntry): Promise<void> {
    await sql`
      insert into suspended_entries (entry_id, account_id) values (${id}, ${accountId})
      on conflict do nothing`.execute(this.entities.getKysely());
  }

  /** Runs inside a unit of work. */
  async clearMark({ id }: SuspendedEntry): Promise<void> {
    await sql`delete from suspended_entries where entry_id = ${id}`.execute(this.entities.getKysely());
  }
}
