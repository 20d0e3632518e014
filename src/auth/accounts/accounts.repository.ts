import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { SqlClient } from '../../platform/database/sql-client.js';
import {
  Account,
  type AccountPage,
  type AccountState,
  AccountRepository,
  type ListedAccount,
  type PageRequest,
} from '../domain/account.js';
import { Batcher } from '../../platform/concurrency/batcher.js';
import {
  ACCOUNT_STATES,
  ACCOUNTS_COUNT,
  ACCOUNTS_PAGE,
  DELETE_OWNED_ROWS,
  NOTE_DELETION_PROGRESS,
  TAKE_ABANDONED_DELETION,
} from './accounts.sql.js';

const BATCH_SIZE = 1_000;
/** A lock number not used elsewhere in this database. */
const FIRST_START_LOCK = '31069404838617461';

@Injectable()
export class PostgresAccountRepository extends AccountRepository {
  private readonly states = new Batcher((ids: readonly string[]) => this.readStates(ids));

  constructor(
    private readonly entities: EntityManager,
    private readonly sqlClient: SqlClient,
  ) {
    super();
  }

  add(account: Account): void {
    this.entities.persist(account);
  }

  find(id: string): Promise<Account | null> {
    return this.entities.findOne(Account, { id });
  }

  async findState(id: string): Promise<AccountState | null> {
    return this.states.submit(id);
  }

  async isFirst(id: string): Promise<boolean> {
    const [first] = await this.entities.find(Account, {}, { orderBy: { id: 'asc' }, limit: 1 });
    return first?.id === id;
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

  async takeAbandonedDeletion(seconds: number): Promise<string | null> {
    const [taken] = await this.sqlClient.run<{ id: string }>(TAKE_ABANDONED_DELETION, [seconds]);
    return taken?.id ?? null;
  }

  async deleteKeys(id: string): Promise<void> {
    for (const statement of DELETE_OWNED_ROWS)
      while ((await this.sqlClient.run(statement, [id, BATCH_SIZE])).length === BATCH_SIZE);
  }

  async delete(id: string): Promise<boolean> {
    const { rows } = await sql`delete from accounts where id = ${id} returning 1`.execute(this.entities.getKysely());
    return rows.length > 0;
  }

  private async readStates(ids: readonly string[]): Promise<(AccountState | null)[]> {
    const rows = await this.sqlClient.run<AccountState>(ACCOUNT_STATES, [[...new Set(ids)]]);
    const states = new Map(rows.map((account) => [account.id, account]));
    return ids.map((id) => states.get(id) ?? null);
  }

  async lockFirst(): Promise<Account | null> {
    await sql`select pg_advisory_xact_lock(${FIRST_START_LOCK})`.execute(this.entities.getKysely());
    const [first] = await this.entities.find(Account, {}, { orderBy: { id: 'asc' }, limit: 1 });
    return first ?? null;
  }
}
