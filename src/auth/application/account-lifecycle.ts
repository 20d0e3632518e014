import { Injectable } from '@nestjs/common';
import { Clock, SECOND } from '../../kernel/clock.js';
import { UnitOfWork, TransactionConflict } from '../../kernel/unit-of-work.js';
import { type Account, type AccountPage, AccountRepository, type PageRequest } from '../domain/account.js';
import { AccountNotFound } from '../domain/auth.errors.js';
import { type AccountDataKind, AccountDataRegistry } from './account-data-registry.js';

/** In one transaction: nobody waits long for one of them. */
const BATCH_SIZE = 200;
/** What was under way may add something that was deleted already. */
const MAX_PASSES = 5;

type Counts = Record<string, number>;

/** Lists, suspends, resumes and deletes accounts. */
@Injectable()
export class AccountLifecycle {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly dataKinds: AccountDataRegistry,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  list(request: PageRequest): Promise<AccountPage> {
    return this.accounts.page(request);
  }

  /** Its keys are refused within a second; names and deliveries follow in the background. @throws AccountNotFound */
  suspend(accountId: string): Promise<Account> {
    return this.change(accountId, (account) => account.suspend(this.clock.now()));
  }

  /** @throws AccountNotFound */
  resume(accountId: string): Promise<Account> {
    return this.change(accountId, (account) => account.resume());
  }

  /**
   * Deletes the account and everything it holds, in short transactions. Cut off, it goes on where it was when it is
   * run again.
   * @returns how much was deleted of each part
   * @throws AccountNotFound
   */
  async delete(accountId: string): Promise<Readonly<Record<string, number>>> {
    await this.suspend(accountId);
    await new Promise((resolve) => setTimeout(resolve, SECOND)); // by then no process believes its keys any more
    const deleted: Counts = {};
    for (let pass = 1; pass <= MAX_PASSES; pass += 1) {
      for (const dataKind of this.dataKinds.all()) await this.deleteAll(accountId, dataKind, deleted);
      if (await this.accounts.deleteWithKeys(accountId)) return deleted;
    }
    throw new TransactionConflict(`something is still being written for ${accountId}: delete it again in a minute`);
  }

  private async deleteAll(accountId: string, { name, deleteBatch }: AccountDataKind, deleted: Counts): Promise<void> {
    deleted[name] ??= 0;
    for (;;) {
      const deletedInBatch = await deleteBatch(accountId, BATCH_SIZE);
      if (deletedInBatch === 0) return;
      deleted[name] += deletedInBatch;
    }
  }

  private change(accountId: string, change: (account: Account) => void): Promise<Account> {
    return this.work.run(async () => {
      const account = await this.accounts.find(accountId);
      if (!account) throw new AccountNotFound(accountId);
      change(account);
      return account;
    });
  }
}
