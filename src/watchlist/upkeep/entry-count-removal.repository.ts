import { Injectable } from '@nestjs/common';
import { SqlClient } from '../../platform/database/sql-client.js';

const REMOVE = {
  name: 'entry_count_remove',
  text: `delete from entry_counts where account_id = $1 returning 1`,
};

/** Deletes an account's entry counter, which deleting its entries leaves at 0. */
@Injectable()
export class EntryCountRemoval {
  constructor(private readonly statements: SqlClient) {}

  async run(accountId: string): Promise<number> {
    return (await this.statements.run(REMOVE, [accountId])).length;
  }
}
