import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { type Account, AccountRepository } from '../domain/account.js';
import { type ApiKey, ApiKeyRepository } from '../domain/api-key.js';
import { InvalidToken } from '../domain/auth.errors.js';

/** Describes the account and key of an authenticated request. */
@Injectable()
export class WhoAmI {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly keys: ApiKeyRepository,
    private readonly work: UnitOfWork,
  ) {}

  /** @throws InvalidToken when the account or key was deleted a moment ago */
  describe(accountId: string, keyId: string): Promise<{ account: Account; key: ApiKey }> {
    return this.work.run(async () => {
      const account = await this.accounts.find(accountId);
      const key = await this.keys.find(keyId, accountId);
      if (!account || !key) throw new InvalidToken();
      return { account, key };
    });
  }
}
