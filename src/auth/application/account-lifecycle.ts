import { Injectable } from '@nestjs/common';
import { Clock, SECOND } from '../../kernel/clock.js';
import { UnitOfWork, TransactionConflict } from '../../kernel/unit-of-work.js';
import { type Account, type AccountPage, AccountRepository, type PageRequest } from '../domain/account.js';
import { AccountNotFound } from '../domain/auth.errors.js';
import { type AccountDataKind, AccountDataRegistry } from './account-data-registry.js';

/** Per transaction, so that each is short. */
const BATCH_SIZE = 200;
/** Work in progress may add records after a pass. */
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

  /** Its keys stop working within a second; names and deliveries follow in the background. @throws AccountNotFound */
  suspend(accountId: string): Promise<Account> {
    return this.change(accountId, (account) => account.suspend(this.clock.now()));
  }

  /** @throws AccountNotFound */
  resume(accountId: string): Promise<Account> {
    return this.change(accountId, (account) => account.resume());
  }

  /**
   * Deletes the account and all its data in short transactions. An interrupted deletion continues when run again.
   * @returns the number of deleted records by kind
   * @throws AccountNotFound
   */
  async delete(accountId: string): Promise<Readonly<Record<string, number>>> {
    await this.suspend(accountId);
    await new Promise((resolve) => setTimeout(resolve, SECOND)); // until no process has its keys cached
    const deleted: Counts = {};
    for (let pass = 1; pass <= MAX_PASSES; pass += 1) {
      for (const dataKind of this.dataKinds.all()) await this.deleteAll(accountId, dataKind, deleted);
      if (await this.accounts.deleteWithKeys(accountId)) return deleted;
    }
    throw new TransactionConflict(`data is still being written for ${accountId}: delete it again in a minute`);
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
