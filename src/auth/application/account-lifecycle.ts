import { Injectable } from '@nestjs/common';
import { Clock, SECOND } from '../../kernel/clock.js';
import { UnitOfWork, WorkContended } from '../../kernel/unit-of-work.js';
import { type Account, type AccountPage, Accounts, type PageRequest } from '../domain/account.js';
import { AccountNotFound } from '../domain/auth.errors.js';
import { type AccountPart, AccountParts } from './account-parts.js';

/** In one transaction: nobody waits long for one of them. */
const BATCH = 200;
/** What was under way may add something that was deleted already. */
const ROUNDS = 5;

type Counts = Record<string, number>;

/** Lists, suspends, resumes and deletes accounts. */
@Injectable()
export class AccountLifecycle {
  constructor(
    private readonly accounts: Accounts,
    private readonly parts: AccountParts,
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
    for (let round = 1; round <= ROUNDS; round += 1) {
      for (const part of this.parts.all()) await this.deletePart(accountId, part, deleted);
      if (await this.accounts.remove(accountId)) return deleted;
    }
    throw new WorkContended(`something is still being written for ${accountId}: delete it again in a minute`);
  }

  private async deletePart(accountId: string, { name, removeSome }: AccountPart, deleted: Counts): Promise<void> {
    deleted[name] ??= 0;
    for (;;) {
      const batch = await removeSome(accountId, BATCH);
      if (batch === 0) return;
      deleted[name] += batch;
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
