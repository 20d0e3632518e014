import { Injectable } from '@nestjs/common';
import { SqlClient } from '../../platform/database/sql-client.js';
import { type ChannelDetails, ChannelReader, type ChannelSummary } from './channel-reader.js';

/** `splitSenderType`, as SQL. */
const SUMMARIES = {
  name: 'channels_of_account',
  text: `select id, split_part(type, ':', 1) as type, target, active from notification_channels
         where account_id = $1 order by created_at, id`,
};
const DETAILS = {
  name: 'channel_of_account',
  text: `select id, split_part(type, ':', 1) as type, nullif(split_part(type, ':', 2), '') as format, target, active, event_types as "eventTypes", tags,
           headers, sealed_credential as "sealedCredential", reason, disabled_at as "disabledAt", created_at as "createdAt"
         from notification_channels where account_id = $1 and id = $2`,
};

@Injectable()
export class PostgresChannelReader extends ChannelReader {
  constructor(private readonly statements: SqlClient) {
    super();
  }

  list(accountId: string): Promise<ChannelSummary[]> {
    return this.statements.run<ChannelSummary>(SUMMARIES, [accountId]);
  }

  async find(accountId: string, id: string): Promise<ChannelDetails | null> {
    const [details] = await this.statements.run<ChannelDetails>(DETAILS, [accountId, id]);
    return details ?? null;
  }
}
