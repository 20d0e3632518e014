import { Injectable } from '@nestjs/common';
import { NotificationChannel } from '../domain/notification-channel.js';
import { type Claim, Delivery, type SucceededAttempt, CONCURRENCY_LIMITS } from '../domain/delivery.js';
import { NotificationEvent } from '../domain/notification-event.js';
import { LeaseConfig } from '../../config/sections.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import { hydrate } from '../rows.sql.js';
import { channelMapping, deliveryMapping, eventMapping } from '../mappings.js';
import { MARK_DELIVERED, toResultParams } from './attempts.sql.js';
import { CLAIM_AND_START, CLAIM_LOCK } from './claims.sql.js';

export interface StartOptions {
  readonly now: Date;
  /** Claims in progress at a time, over all processes. */
  readonly limit: number;
  /** Channel types whose attempts need no unit of work to start. */
  readonly types: readonly string[];
}

/** A delivery whose attempt started: its number is the delivery's, and its token the claim's. */
interface StartedDelivery {
  readonly delivery: Delivery;
  readonly channel: NotificationChannel;
  readonly event: NotificationEvent;
}

export interface ClaimedDelivery {
  readonly claim: Claim;
  /** null when the attempt has to be started by itself: another type, or an inactive channel. */
  readonly started: StartedDelivery | null;
}

interface FinishedAndClaimed {
  /** The tokens of the attempts whose deliveries were marked. */
  readonly delivered: ReadonlySet<string>;
  readonly claimed: readonly ClaimedDelivery[];
}

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

/** Claims and starts attempts at once, for a process that makes them itself. */
@Injectable()
export class AttemptStarter {
  private readonly leaseSeconds: number;

  constructor(
    private readonly statements: SqlClient,
    config: LeaseConfig,
  ) {
    this.leaseSeconds = config.leaseSeconds;
  }

  /** As `DeliveryRepository.claimDue`, at these hosts. Own statement: the attempts are stored when it resolves. */
  async claimAndStart(hosts: readonly string[], options: StartOptions): Promise<ClaimedDelivery[]> {
    const values = this.toParams(hosts, options);
    return toClaimed(await this.statements.runExclusive<ClaimedRow>(CLAIM_LOCK, CLAIM_AND_START, values));
  }

  /**
   * The same, in one transaction behind `DeliveryRepository.markDelivered`: what that frees at the hosts is claimed again.
   */
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
