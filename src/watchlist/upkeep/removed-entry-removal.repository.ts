import { Injectable } from '@nestjs/common';
import { SqlClient } from '../../platform/database/sql-client.js';

const REMOVE = {
  name: 'account_remove_removed_entries',
  text: `delete from removed_entries where id = any(array(
           select id from removed_entries where account_id = $1 limit $2)) returning 1`,
};

/** Deletes what is kept of the entries that an account removed, with their history. */
@Injectable()
export class RemovedEntryRemoval {
  constructor(private readonly statements: SqlClient) {}

  /** @returns how many */
  async run(accountId: string, limit: number): Promise<number> {
    return (await this.statements.run(REMOVE, [accountId, limit])).length;
  }
}
