import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { SqlClient } from '../../platform/database/sql-client.js';
import { sql } from '../../platform/database/sql.js';
import {
  Account,
  type AccountPage,
  type AccountState,
  type ListedAccount,
  type PageRequest,
} from '../domain/account.js';

const ACCOUNT_STATE = {
  name: 'account_state',
  text: `select id, plan, suspended_at is not null as "isSuspended" from accounts where id = $1`,
};

/** Lists the oldest accounts first, since ids sort by creation time. */
const ACCOUNTS_PAGE = {
  name: 'accounts_page',
  text: `select id, name, plan, created_at as "createdAt", suspended_at as "suspendedAt"
         from accounts order by id limit $1 offset $2`,
};
const ACCOUNTS_COUNT = { name: 'accounts_count', text: `select count(*)::int as total from accounts` };

const NOTE_DELETION_PROGRESS = {
  name: 'account_deletion_record_progress',
  text: `update accounts set deletion_advanced_at = now() where id = $1`,
};
const TAKE_ABANDONED_DELETION = {
  name: 'account_deletion_take_abandoned',
  text: `update accounts set deletion_advanced_at = now() where id = (
           select id from accounts where deletion_started_at is not null
             and coalesce(deletion_advanced_at, deletion_started_at) < now() - make_interval(secs => $1)
           order by id limit 1 for update skip locked)
         returning id`,
};

/** Deletes an account's keys, and responses stored for repeated requests. Other modules delete their rows first. */
const DELETE_OWNED_ROWS = [
  {
    name: 'account_remove_responses',
    text: `delete from idempotent_responses where scope = any(array(
             select scope from idempotent_responses where account_id = $1 limit $2)) returning scope`,
  },
  {
    name: 'account_remove_keys',
    text: `delete from api_keys where id = any(array(select id from api_keys where account_id = $1 limit $2)) returning id`,
  },
];

const BATCH_SIZE = 1_000;
/** The number of the advisory lock for the first start. Nothing else in this database uses this number. */
const FIRST_START_LOCK = '31069404838617461';

@Injectable()
export class AccountRepository {
  constructor(
    private readonly entities: EntityManager,
    private readonly sqlClient: SqlClient,
  ) {}

  add(account: Account): void {
    this.entities.persist(account);
  }

  /** Writes new rows now. Without this call, they are written when the unit of work ends. */
  flush(): Promise<void> {
    return this.entities.flush();
  }

  find(id: string): Promise<Account | null> {
    return this.entities.findOne(Account, { id });
  }

  async findState(id: string): Promise<AccountState | null> {
    const [state] = await this.sqlClient.run<AccountState>(ACCOUNT_STATE, [id]);
    return state ?? null;
  }

  async page({ page, perPage }: PageRequest): Promise<AccountPage> {
    const [accounts, [counted]] = await Promise.all([
      this.sqlClient.run<ListedAccount>(ACCOUNTS_PAGE, [perPage, (page - 1) * perPage]),
      this.sqlClient.run<{ total: number }>(ACCOUNTS_COUNT),
    ]);
    return { accounts, total: counted?.total ?? 0 };
  }

  async noteDeletionProgress(id: string): Promise<void> {
    await this.sqlClient.run(NOTE_DELETION_PROGRESS, [id]);
  }

  /**
   * Finds a deletion without progress for this many seconds. Notes progress, so that other processes leave the account
   * alone.
   */
  async takeAbandonedDeletion(seconds: number): Promise<string | null> {
    const [taken] = await this.sqlClient.run<{ id: string }>(TAKE_ABANDONED_DELETION, [seconds]);
    return taken?.id ?? null;
  }

  /** Deletes the account's keys, and responses stored for repeated requests, in short transactions. */
  async deleteKeys(id: string): Promise<void> {
    for (const statement of DELETE_OWNED_ROWS)
      while ((await this.sqlClient.run(statement, [id, BATCH_SIZE])).length === BATCH_SIZE);
  }

  /**
   * The unit of work fails if other data of the account remains.
   * @returns false if the row was gone already
   */
  async delete(id: string): Promise<boolean> {
    const rows = await this.sqlClient.run(sql`delete from accounts where id = ${id} returning 1`);
    return rows.length > 0;
  }

  /** Returns the operator's account, or null. The lock keeps concurrent starts from opening two operator accounts. */
  async lockOperator(): Promise<Account | null> {
    await this.sqlClient.run(sql`select pg_advisory_xact_lock(${FIRST_START_LOCK})`);
    return this.entities.findOne(Account, { isOperator: true });
  }
}
