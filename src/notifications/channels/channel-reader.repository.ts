import { Injectable } from '@nestjs/common';
import type { NotificationChannel } from '../domain/notification-channel.js';
import { SqlClient } from '../../platform/database/sql-client.js';

type ChannelSummary = Pick<NotificationChannel, 'id' | 'type' | 'target' | 'active'>;

type Settings =
  'eventTypes' | 'tags' | 'headers' | 'sealedCredential' | 'reason' | 'reasonDetail' | 'disabledAt' | 'createdAt';
export interface ChannelDetails extends ChannelSummary, Pick<NotificationChannel, Settings> {
  /** How a product takes messages; null for types without, and for signed events. */
  readonly format: string | null;
}

/** `splitSenderType`, as SQL. */
const SUMMARIES = {
  name: 'channels_of_account',
  text: `select id, split_part(type, ':', 1) as type, target, active from notification_channels
         where account_id = $1 order by created_at, id`,
};
const DETAILS = {
  name: 'channel_of_account',
  text: `select id, split_part(type, ':', 1) as type, nullif(split_part(type, ':', 2), '') as format, target, active, event_types as "eventTypes", tags,
           headers, sealed_credential as "sealedCredential", reason, reason_detail as "reasonDetail", disabled_at as "disabledAt", created_at as "createdAt"
         from notification_channels where account_id = $1 and id = $2`,
};

/** Channels as the API shows them, read straight from their rows. */
@Injectable()
export class ChannelReader {
  constructor(private readonly statements: SqlClient) {}

  /** Lists the channels of one account, oldest first. */
  list(accountId: string): Promise<ChannelSummary[]> {
    return this.statements.run<ChannelSummary>(SUMMARIES, [accountId]);
  }

  /** null when the account has no such channel. */
  async find(accountId: string, id: string): Promise<ChannelDetails | null> {
    const [details] = await this.statements.run<ChannelDetails>(DETAILS, [accountId, id]);
    return details ?? null;
  }
}
