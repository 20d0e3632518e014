import { Injectable } from '@nestjs/common';
import { SqlClient } from '../platform/database/sql-client.js';

const CHANNELS = `select id from notification_channels where account_id = $1`;

const deleteSome = (table: string, key: string, condition: string) => ({
  name: `account_remove_${table}`,
  text: `delete from ${table} where (${key}) in (select ${key} from ${table} where ${condition} limit $2) returning 1`,
});

/** Removes the account's id from its mails, but keeps the mails, because the limits per mailbox still count them. */
const FORGET_SENDER = {
  name: 'account_remove_mail_outbox',
  text: `update mail_outbox set account_id = null
         where id in (select id from mail_outbox where account_id = $1 limit $2) returning 1`,
};

/** Lists deliveries first, because deleting a channel or an event would cascade to any number of deliveries. */
const TABLES = [
  { name: 'deliveries', statement: deleteSome('deliveries', 'id', `channel_id in (${CHANNELS})`) },
  { name: 'mails', statement: FORGET_SENDER },
  { name: 'suppressions', statement: deleteSome('mail_suppressions', 'account_id, mailbox', 'account_id = $1') },
  { name: 'channels', statement: deleteSome('notification_channels', 'id', 'account_id = $1') },
  { name: 'events', statement: deleteSome('events', 'id', 'account_id = $1') },
  { name: 'event horizons', statement: deleteSome('event_feed_starts', 'account_id', 'account_id = $1') },
  { name: 'streams', statement: deleteSome('event_stream_slots', 'token', 'account_id = $1') },
];

/** Deletes an account's channels, events and other data of notifications, in batches. */
@Injectable()
export class PostgresAccountRemoval {
  constructor(private readonly statements: SqlClient) {}

  parts() {
    return TABLES.map(({ name, statement }) => ({
      name,
      deleteBatch: async (accountId: string, limit: number) =>
        (await this.statements.run(statement, [accountId, limit])).length,
    }));
  }
}
