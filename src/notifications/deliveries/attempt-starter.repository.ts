import { Injectable } from '@nestjs/common';
import { LeaseConfig } from '../../config/sections.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import {
  AttemptStarter,
  type ClaimedDelivery,
  type FinishedAndClaimed,
  type StartedDelivery,
  type StartOptions,
} from './attempt-starter.js';
import { NotificationChannel } from '../domain/channels/notification-channel.js';
import { CONCURRENCY_LIMITS, Delivery, type SucceededAttempt } from '../domain/deliveries/delivery.js';
import { NotificationEvent } from '../domain/events/notification-event.js';
import { hydrate } from '../hydrate.js';
import { channelMapping, deliveryMapping, eventMapping } from '../mappings.js';
import { MARK_DELIVERED } from './attempts.sql.js';
import { toResultParams } from './result-params.js';
import { CLAIM_AND_START } from './claim-and-start.sql.js';
import { CLAIM_LOCK } from './claims.sql.js';

interface ClaimedRow extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly token: string;
  readonly starts: boolean;
  readonly number: number;
  readonly channelId: string;
  readonly eventId: string;
  /** null in all rows of an event but one. */
  readonly 'event.body': string | null;
}

const [DELIVERY_FIELDS, CHANNEL_FIELDS, EVENT_FIELDS] = [deliveryMapping, channelMapping, eventMapping].map(
  ({ meta }) => Object.keys(meta.properties),
) as [string[], string[], string[]];

@Injectable()
export class PostgresAttemptStarter extends AttemptStarter {
  private readonly leaseSeconds: number;

  constructor(
    private readonly statements: SqlClient,
    config: LeaseConfig,
  ) {
    super();
    this.leaseSeconds = config.leaseSeconds;
  }

  async claimAndStart(hosts: readonly string[], options: StartOptions): Promise<ClaimedDelivery[]> {
    const values = this.toParams(hosts, options);
    return toClaimed(await this.statements.runExclusive<ClaimedRow>(CLAIM_LOCK, CLAIM_AND_START, values));
  }

  async finishAndStart(
    succeeded: readonly SucceededAttempt[],
    hosts: readonly string[],
    options: StartOptions,
  ): Promise<FinishedAndClaimed> {
    const [marked, rows] = await this.statements.runThenExclusive<{ token: string }, ClaimedRow>(
      { statement: MARK_DELIVERED, values: toResultParams(succeeded) },
      CLAIM_LOCK,
      { statement: CLAIM_AND_START, values: this.toParams(hosts, options) },
    );
    return { delivered: new Set(marked.map(({ token }) => token)), claimed: toClaimed(rows) };
  }

  private toParams(hosts: readonly string[], { now, limit, types }: StartOptions): unknown[] {
    const { perChannel, perHost } = CONCURRENCY_LIMITS;
    return [now, limit, this.leaseSeconds, perChannel, perHost, hosts, types];
  }
}

function toClaimed(rows: readonly ClaimedRow[]): ClaimedDelivery[] {
  const channels = new Map<string, NotificationChannel>();
  const events = new Map<string, NotificationEvent>();
  for (const row of rows) {
    if (!row.starts) continue;
    if (row['event.body'] !== null) events.set(row.eventId, toEntity(NotificationEvent, row, EVENT_FIELDS, 'event.'));
    if (!channels.has(row.channelId))
      channels.set(row.channelId, toEntity(NotificationChannel, row, CHANNEL_FIELDS, 'channel.'));
  }
  return rows.map((row) => {
    const { id, token } = row;
    return { claim: { id, token }, started: toStarted(row, channels.get(row.channelId), events.get(row.eventId)) };
  });
}

function toStarted(row: ClaimedRow, channel?: NotificationChannel, event?: NotificationEvent): StartedDelivery | null {
  if (!row.starts || !channel || !event) return null;
  const { number: attempts, token: leaseToken } = row;
  const delivery = toEntity(Delivery, { ...row, attempts, leaseToken }, [...DELIVERY_FIELDS, 'leaseToken']);
  return { delivery, channel, event };
}

function toEntity<Entity extends object>(
  entityClass: { readonly prototype: Entity },
  row: Readonly<Record<string, unknown>>,
  fields: readonly string[],
  prefix = '',
): Entity {
  const values: Record<string, unknown> = {};
  for (const field of fields) values[field] = row[prefix + field];
  return hydrate(entityClass, values as Partial<Entity>);
}
