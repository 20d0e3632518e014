import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { type Account, AccountRepository } from '../domain/account.js';
import { type ApiKey, ApiKeyRepository } from '../domain/api-key.js';
import { InvalidToken } from '../domain/auth.errors.js';
import type { CallerIdentity } from '../caller/caller.js';

/** Describes the account, and the key if there is one, of an authenticated request. */
@Injectable()
export class WhoAmI {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly keys: ApiKeyRepository,
    private readonly work: UnitOfWork,
  ) {}

  /** @throws InvalidToken when the account or key was deleted a moment ago */
  describe(accountId: string, by: CallerIdentity): Promise<{ account: Account; key: ApiKey | null }> {
    return this.work.run(async () => {
      const account = await this.accounts.find(accountId);
      const key = by.kind === 'key' ? await this.keys.find(by.id, accountId) : null;
      if (!account || (by.kind === 'key' && !key)) throw new InvalidToken();
      return { account, key };
    });
  }
}
