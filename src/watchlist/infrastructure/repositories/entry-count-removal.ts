import { Injectable } from '@nestjs/common';
import { Statements } from '../../../platform/database/sql-client.js';

const REMOVE = {
  name: 'account_remove_entry_count',
  text: `delete from entry_counts where account_id = $1 returning 1`,
};

/** The count of an account's entries stays, at 0, when the last of them is deleted. */
@Injectable()
export class EntryCountRemoval {
  constructor(private readonly statements: Statements) {}

  async run(accountId: string): Promise<number> {
    return (await this.statements.run(REMOVE, [accountId])).length;
  }
}
