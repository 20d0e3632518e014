import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { AccountDataRegistry } from '../auth/index.js';

/** Injection token: `readonly AccountData[]`. */
export const EXTENSION_ACCOUNT_DATA = 'extension-account-data';

/** Rows of an extension that belong to accounts, and are deleted with them. */
export abstract class AccountData {
  /** Shown to administrators, such as `ledger entries`. */
  abstract readonly name: string;

  /** Deletes up to `limit` rows of the account in one short transaction. @returns how many; 0: none is left */
  abstract deleteBatch(accountId: string, limit: number): Promise<number>;
}

/** Registers after all modules of ours: subscribers may write rows while an account's entries are deleted. */
@Injectable()
export class AccountDataRegistration implements OnApplicationBootstrap {
  constructor(
    private readonly modules: ModuleRef,
    @Inject(EXTENSION_ACCOUNT_DATA) private readonly kinds: readonly AccountData[],
  ) {}

  onApplicationBootstrap(): void {
    const registry = this.modules.get(AccountDataRegistry, { strict: false });
    for (const kind of this.kinds)
      registry.add({ name: kind.name, deleteBatch: (accountId, limit) => kind.deleteBatch(accountId, limit) });
  }
}
