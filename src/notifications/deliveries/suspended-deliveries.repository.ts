import { Injectable } from '@nestjs/common';
import { SqlClient } from '../../platform/database/sql-client.js';
import { closedAs, IS_CLAIMABLE } from './delivery-conditions.sql.js';

/** Lock order: channels before deliveries. */
const PAUSE = {
  name: 'suspended_deliveries_pause',
  text: `
    with channels as materialized (
      select c.id, c.host, c.account_id from notification_channels c join accounts a on a.id = c.account_id
      where a.suspended_at is not null and exists (
        select from deliveries d where d.host = c.host and d.channel_id = c.id and ${IS_CLAIMABLE})
      order by c.id for no key update of c),
    waiting as materialized (
      select d.id, c.account_id from channels c cross join lateral (
        select d.id from deliveries d where d.host = c.host and d.channel_id = c.id and ${IS_CLAIMABLE} limit $1) d
      limit $1),
    noted as (
      insert into suspended_deliveries (delivery_id, account_id) select id, account_id from waiting
      on conflict do nothing)
    -- claimable still: it may have been added to a digest while its lock was waited for
    update deliveries d set ${closedAs('paused')} from waiting where d.id = waiting.id and ${IS_CLAIMABLE}
    returning 1`,
};
const RESUME = {
  name: 'suspended_deliveries_resume',
  text: `
    with ended as (
      delete from suspended_deliveries where delivery_id = any(array(
        select s.delivery_id from suspended_deliveries s join accounts a on a.id = s.account_id
        where a.suspended_at is null limit $2))
      returning delivery_id as id),
    pending as (
      update deliveries set state = 'pending', next_attempt_at = $1 from ended
      where deliveries.id = ended.id and deliveries.state = 'paused')
    select id from ended`,
};
const SUSPENDED = `select id from accounts where suspended_at is not null`;
const HOLD_MESSAGES = [
  {
    name: 'suspended_digests_hold',
    text: `update digests set due_at = $1::timestamptz + interval '1 hour'
           where kind in ('mail', 'chat') and due_at <= $1::timestamptz + interval '1 minute' and lease_token is null
             and account_id in (${SUSPENDED})`,
  },
  {
    name: 'suspended_confirmations_drop',
    text: `update address_confirmations set next_attempt_at = null
           where next_attempt_at <= $1::timestamptz + interval '1 day' and account_id in (${SUSPENDED})`,
  },
];

/** Deliveries of suspended accounts: paused, and sent once the account is resumed. */
@Injectable()
export class SuspendedDeliveryRepository {
  constructor(private readonly statements: SqlClient) {}

  /** Pauses pending deliveries. @returns how many */
  async pauseBatch(limit: number): Promise<number> {
    return (await this.statements.run(PAUSE, [limit])).length;
  }

  /** Makes deliveries pending again that an ended suspension had paused. @returns how many */
  async resumeBatch(now: Date, limit: number): Promise<number> {
    return (await this.statements.run(RESUME, [now, limit])).length;
  }

  /** Postpones digests by an hour and cancels confirmation mails. */
  async holdMail(now: Date): Promise<void> {
    for (const statement of HOLD_MESSAGES) await this.statements.run(statement, [now]);
  }
}
