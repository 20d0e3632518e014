import { Injectable } from '@nestjs/common';
import { SqlClient } from '../../platform/database/sql-client.js';

/** Without names there is nothing to report, so none of the windows is reported in between with a part of its names. */
const REMOVE_NAMES = {
  name: 'account_remove_held_changes',
  text: `with emptied as (update change_windows set held = 0 where account_id = $1 and held > 0),
         own as (
           select window_id, domain from held_changes join change_windows on id = window_id
           where account_id = $1 limit $2)
         delete from held_changes h using own where h.window_id = own.window_id and h.domain = own.domain returning 1`,
};
const REMOVE = {
  name: 'account_remove_change_windows',
  text: `delete from change_windows where id = any(array(
           select id from change_windows where account_id = $1 limit $2)) returning 1`,
};

/** Deletes the hours of an account in which names had the same change, after the names that are held in them. */
@Injectable()
export class ChangeWindowRemoval {
  constructor(private readonly statements: SqlClient) {}

  /** @returns how many names */
  async removeNames(accountId: string, limit: number): Promise<number> {
    return (await this.statements.run(REMOVE_NAMES, [accountId, limit])).length;
  }

  /** @returns how many windows */
  async run(accountId: string, limit: number): Promise<number> {
    return (await this.statements.run(REMOVE, [accountId, limit])).length;
  }
}
