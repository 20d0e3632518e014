import { Injectable } from '@nestjs/common';
import { AccountRepository } from '../domain/account.js';

/** Recognises the administrator's own account, opened at the first start. */
@Injectable()
export class FirstAccount {
  constructor(private readonly accounts: AccountRepository) {}

  matches(accountId: string): Promise<boolean> {
    return this.accounts.isFirst(accountId);
  }
}
