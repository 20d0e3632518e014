import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { Account, Accounts } from '../domain/account.js';

/** Any number that nothing else in this database locks. */
const FIRST_START = '31069404838617461';

@Injectable()
export class MikroAccounts extends Accounts {
  constructor(private readonly entities: EntityManager) {
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

  async firstForBootstrap(): Promise<Account | null> {
    await sql`select pg_advisory_xact_lock(${FIRST_START})`.execute(this.entities.getKysely());
    const [first] = await this.entities.find(Account, {}, { orderBy: { id: 'asc' }, limit: 1 });
    return first ?? null;
  }
}
