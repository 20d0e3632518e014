import { Injectable } from '@nestjs/common';
import type { Outcome } from '../domain/attempt.js';
import type { NotificationChannel } from '../domain/notification-channel.js';
import { SqlClient } from '../../platform/database/sql-client.js';

type ChannelSummary = Pick<NotificationChannel, 'id' | 'type' | 'target' | 'active'>;

type Settings =
  | 'label'
  | 'eventTypes'
  | 'tags'
  | 'headers'
  | 'sealedCredential'
  | 'reason'
  | 'reasonDetail'
  | 'disabledAt'
  | 'summary'
  | 'nextSummaryAt'
  | 'createdAt';
export interface ChannelDetails extends ChannelSummary, Pick<NotificationChannel, Settings> {
  /** The chat product whose format a webhook sends, such as `slack`. null for every other channel. */
  readonly format: string | null;
  /** null if no delivery waits. */
  readonly waiting: WaitingDeliveries | null;
}

interface WaitingDeliveries {
  /** The number of waiting deliveries, at most `MAX_COUNTED`. */
  readonly events: number;
  /** The number of waiting deliveries with at least one failed attempt. */
  readonly retried: number;
  /** The time of the next retry. If no waiting delivery has failed yet, the time of the next first attempt. */
  readonly nextAttemptAt: string;
  /** How the last attempt failed, for the delivery whose retry comes next. null if no waiting delivery has failed. */
  readonly outcome: Outcome | null;
  readonly responseStatus: number | null;
}

/** Counts waiting deliveries only up to this number, because the exact length of a long backlog helps nobody. */
export const MAX_COUNTED = 1_000;

/** Cuts the format off the stored type, so that `webhook:slack` becomes `webhook`. */
const SUMMARIES = {
  name: 'channels_of_account',
  text: `select id, split_part(type, ':', 1) as type, target, active from notification_channels
         where account_id = $1 order by created_at, id`,
};
/** `limit` keeps the deliveries that are due first. An index provides this order. */
const WAITING = `(
  with waiting as (
    select id, attempts, failures, next_attempt_at from deliveries d
    where d.channel_id = c.id and d.state = 'pending'
    order by next_attempt_at limit ${MAX_COUNTED}),
  next as (select * from waiting order by failures = 0, next_attempt_at limit 1)
  select json_build_object(
    'events', (select count(*) from waiting), 'retried', (select count(*) from waiting where failures > 0),
    'nextAttemptAt', next.next_attempt_at, 'outcome', last.outcome, 'responseStatus', last.response_status)
  from next left join lateral (
    select outcome, response_status from delivery_attempts a
    where next.failures > 0 and a.delivery_id = next.id and a.outcome is not null order by number desc limit 1) as last on true)`;
const DETAILS = `select id, split_part(type, ':', 1) as type, nullif(split_part(type, ':', 2), '') as format, target, label, active,
    event_types as "eventTypes", tags, headers, sealed_credential as "sealedCredential", reason, reason_detail as "reasonDetail",
    disabled_at as "disabledAt", summary, next_summary_at as "nextSummaryAt", created_at as "createdAt", ${WAITING} as waiting
  from notification_channels c where account_id = $1`;
const ONE = { name: 'channel_of_account', text: `${DETAILS} and id = $2` };
const ALL = { name: 'channels_of_account_in_detail', text: `${DETAILS} order by created_at, id` };
const FAILING = {
  name: 'channels_failing',
  text: `select count(*)::int as failing from notification_channels
         where account_id = $1
           and case when active then first_failure_at is not null else reason is distinct from 'switched_off' end`,
};

@Injectable()
export class ChannelReader {
  constructor(private readonly statements: SqlClient) {}

  list(accountId: string): Promise<ChannelSummary[]> {
    return this.statements.run<ChannelSummary>(SUMMARIES, [accountId]);
  }

  listDetails(accountId: string): Promise<ChannelDetails[]> {
    return this.statements.run<ChannelDetails>(ALL, [accountId]);
  }

  /** Counts active channels that fail, and inactive channels that their account did not switch off. */
  async countFailing(accountId: string): Promise<number> {
    const [row] = await this.statements.run<{ failing: number }>(FAILING, [accountId]);
    return row?.failing ?? 0;
  }

  async find(accountId: string, id: string): Promise<ChannelDetails | null> {
    const [details] = await this.statements.run<ChannelDetails>(ONE, [accountId, id]);
    return details ?? null;
  }
}
