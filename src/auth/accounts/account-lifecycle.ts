import { Injectable } from '@nestjs/common';
import { Clock, SECOND } from '../../kernel/clock.js';
import { ForeignKeyViolated, TransactionConflict, UnitOfWork } from '../../kernel/unit-of-work.js';
import type { Account, AccountPage, PageRequest } from '../domain/account.js';
import { AccountRepository } from './accounts.repository.js';
import type { AuditAction } from '../domain/audit-actions.js';
import { AccountNotFound } from '../domain/auth.errors.js';
import { AuditTrail } from '../audit/audit-trail.js';

interface AccountDataKind {
  /** The name of this kind of data, such as `entries`, as the command line and the audit trail show it. */
  readonly name: string;

  /** Deletes up to `limit` records of an account in one short transaction. @returns how many */
  deleteBatch(accountId: string, limit: number): Promise<number>;
}

/** Modules add the kinds of data that an account has. A deletion follows the order in which kinds were added. */
@Injectable()
export class AccountDataRegistry {
  private readonly kinds: AccountDataKind[] = [];

  add(...kinds: readonly AccountDataKind[]): void {
    this.kinds.push(...kinds);
  }

  all(): readonly AccountDataKind[] {
    return this.kinds;
  }
}

/** The number of records that one transaction deletes, so that each transaction is short. */
const BATCH_SIZE = 200;
/**
 * A deletion makes at most this many passes over the account's data. A pass is repeated if other work added records.
 */
const MAX_PASSES = 5;
const PROGRESS_INTERVAL_MS = 5 * SECOND;
/**
 * Another process continues a deletion that made no progress for this time. The process that began it has probably
 * died.
 */
const ABANDONED_AFTER_SECONDS = 60;

type Counts = Record<string, number>;

@Injectable()
export class AccountLifecycle {
  private notedProgressAt = -Infinity;

  constructor(
    private readonly accounts: AccountRepository,
    private readonly dataKinds: AccountDataRegistry,
    private readonly audit: AuditTrail,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  list(request: PageRequest): Promise<AccountPage> {
    return this.accounts.page(request);
  }

  /** Stops the account's keys within a second, and its checks and deliveries soon after. @throws AccountNotFound */
  suspend(accountId: string): Promise<Account> {
    return this.change(accountId, async (account) => {
      if (account.suspendedAt === null) await this.record('account.suspended', account);
      account.suspend(this.clock.now());
    });
  }

  /** @throws AccountNotFound, AccountBeingDeleted */
  resume(accountId: string): Promise<Account> {
    return this.change(accountId, async (account) => {
      const wasSuspended = account.suspendedAt !== null;
      account.resume();
      if (wasSuspended) await this.record('account.resumed', account);
    });
  }

  /**
   * If the process dies meanwhile, {@link finishDeletions} deletes the rest.
   * @returns the number of deleted records by kind
   * @throws AccountNotFound
   * @throws OperatorAccountStays for the operator's account
   * @throws TransactionConflict if other work keeps adding data
   */
  async delete(accountId: string): Promise<Readonly<Record<string, number>>> {
    await this.change(accountId, async (account) => {
      if (account.deletionStartedAt === null) await this.recordDeletion('account.deletion_started', accountId);
      account.startDeletion(this.clock.now());
    });
    await new Promise((resolve) => setTimeout(resolve, SECOND)); // until all caches have dropped the account's keys
    return this.deleteData(accountId);
  }

  /**
   * Finishes deletions that were interrupted. Safe to run in several processes.
   * @returns the ids of the deleted accounts
   */
  async finishDeletions(signal?: AbortSignal): Promise<readonly string[]> {
    const finished: string[] = [];
    for (;;) {
      const accountId = await this.accounts.takeAbandonedDeletion(ABANDONED_AFTER_SECONDS);
      if (accountId === null) return finished;
      await this.deleteData(accountId, signal);
      if (signal?.aborted) return finished;
      finished.push(accountId);
    }
  }

  private async deleteData(accountId: string, signal?: AbortSignal): Promise<Counts> {
    const deleted: Counts = {};
    for (let pass = 1; pass <= MAX_PASSES; pass += 1) {
      for (const dataKind of this.dataKinds.all()) await this.deleteAll(accountId, dataKind, deleted, signal);
      if (signal?.aborted || (await this.deleteAccount(accountId, deleted))) return deleted;
    }
    throw new TransactionConflict(`data is still being written for ${accountId}: delete it again in a minute`);
  }

  /**
   * Deletes the account's keys, then the account.
   * @returns false if other data of the account was written meanwhile
   */
  private async deleteAccount(accountId: string, deleted: Counts): Promise<boolean> {
    await this.accounts.deleteKeys(accountId);
    try {
      await this.work.run(async () => {
        if (await this.accounts.delete(accountId)) await this.recordDeletion('account.deleted', accountId, deleted);
      });
      return true;
    } catch (error) {
      if (error instanceof ForeignKeyViolated) return false;
      throw error;
    }
  }

  private async deleteAll(
    accountId: string,
    kind: AccountDataKind,
    deleted: Counts,
    signal?: AbortSignal,
  ): Promise<void> {
    const { name } = kind;
    deleted[name] ??= 0;
    while (!signal?.aborted) {
      const deletedInBatch = await kind.deleteBatch(accountId, BATCH_SIZE);
      if (deletedInBatch === 0) return;
      deleted[name] += deletedInBatch;
      await this.noteProgress(accountId);
    }
  }

  private async noteProgress(accountId: string): Promise<void> {
    if (performance.now() - this.notedProgressAt < PROGRESS_INTERVAL_MS) return;
    await this.accounts.noteDeletionProgress(accountId);
    this.notedProgressAt = performance.now();
  }

  /** Records the deletion in the operator's trail, since the account's own trail is deleted. */
  private recordDeletion(action: AuditAction, accountId: string, after: Counts = {}): Promise<void> {
    return this.audit.record({ action, accountId: null, targetId: accountId, after });
  }

  private record(action: AuditAction, { id }: Account): Promise<void> {
    return this.audit.record({ action, accountId: id, targetId: id });
  }

  private change(accountId: string, change: (account: Account) => Promise<void>): Promise<Account> {
    return this.work.run(async () => {
      const account = await this.accounts.find(accountId);
      if (!account) throw new AccountNotFound(accountId);
      await change(account);
      return account;
    });
  }
}
