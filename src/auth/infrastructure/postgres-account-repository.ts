import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { Statements } from '../../platform/database/sql-client.js';
import { Account, type AccountPage, Accounts, type ListedAccount, type PageRequest } from '../domain/account.js';
import { ACCOUNTS_COUNT, ACCOUNTS_PAGE, REMOVE_ACCOUNT, REMOVE_OWN } from './accounts.sql.js';

const BATCH = 1_000;
const FOREIGN_KEY_VIOLATION = '23503';
/** Any number that nothing else in this database locks. */
const FIRST_START = '31069404838617461';

@Injectable()
export class MikroAccounts extends Accounts {
  constructor(
    private readonly entities: EntityManager,
    private readonly statements: Statements,
  ) {
    super();
  }

  add(account: Account): void {
    this.entities.persist(account);
  }

  find(id: string): Promise<Account | null> {
    return this.entities.findOne(Account, { id });
  }

  async isFirst(id: string): Promise<boolean> {
    const [first] = await this.entities.find(Account, {}, { orderBy: { id: 'asc' }, limit: 1 });
    return first?.id === id;
  }

  async page({ page, perPage }: PageRequest): Promise<AccountPage> {
    const [accounts, [counted]] = await Promise.all([
      this.statements.run<ListedAccount>(ACCOUNTS_PAGE, [perPage, (page - 1) * perPage]),
      this.statements.run<{ total: number }>(ACCOUNTS_COUNT),
    ]);
    return { accounts, total: counted?.total ?? 0 };
  }

  async remove(id: string): Promise<boolean> {
    for (const statement of REMOVE_OWN) while ((await this.statements.run(statement, [id, BATCH])).length === BATCH);
    try {
      await this.statements.run(REMOVE_ACCOUNT, [id]);
      return true;
    } catch (error) {
      if ((error as { code?: string }).code === FOREIGN_KEY_VIOLATION) return false;
      throw error;
    }
  }

  async firstForBootstrap(): Promise<Account | null> {
    await sql`select pg_advisory_xact_lock(${FIRST_START})`.execute(this.entities.getKysely());
    const [first] = await this.entities.find(Account, {}, { orderBy: { id: 'asc' }, limit: 1 });
    return first ?? null;
  }
}
