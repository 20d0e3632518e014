import { Injectable } from '@nestjs/common';
import { AccountRepository } from '../domain/account.js';

/** Tells the operator's own account, the one that the first start opened, from those opened later. */
@Injectable()
export class FirstAccount {
  constructor(private readonly accounts: AccountRepository) {}

  matches(accountId: string): Promise<boolean> {
    return this.accounts.isFirst(accountId);
  }
}
