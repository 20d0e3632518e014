import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { type Account, AccountRepository } from '../domain/account.js';
import { type ApiKey, ApiKeyRepository } from '../domain/api-key.js';
import { InvalidToken } from '../domain/auth.errors.js';

/** Says who stands behind a key that was believed. */
@Injectable()
export class WhoAmI {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly keys: ApiKeyRepository,
    private readonly work: UnitOfWork,
  ) {}

  /** @throws InvalidToken when account or key went a moment ago. */
  describe(accountId: string, keyId: string): Promise<{ account: Account; key: ApiKey }> {
    return this.work.run(async () => {
      const account = await this.accounts.find(accountId);
      const key = await this.keys.find(keyId, accountId);
      if (!account || !key) throw new InvalidToken();
      return { account, key };
    });
  }
}
