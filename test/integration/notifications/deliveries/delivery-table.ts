import fc from 'fast-check';
import { after, HOUR } from '../../../../src/kernel/clock.js';
import type { FieldsOf } from '../../../../src/kernel/aggregate-root.js';
import { Attempt } from '../../../../src/notifications/domain/attempt.js';
import { type Claim, Delivery } from '../../../../src/notifications/domain/delivery.js';
import { hydrate } from '../../../../src/notifications/rows.sql.js';
import { NotificationService } from '../../../support/servers/notification-service.js';

export const NOW = new Date('2026-11-23T09:00:00.000Z');
export const DIGEST = 'digest';
const BEFORE = after(NOW, -HOUR);

/** What distinguishes one delivery from another, for the statements that change them. */
export interface DeliveryShape {
  readonly state: Delivery['state'];
  readonly attempts: number;
  readonly failures: number;
  /** outdated: the lease has another token than the claim. */
  readonly lease: 'none' | 'valid' | 'outdated';
  readonly inDigest: boolean;
  /** failing: with a failure recorded; foreign: of another account. */
  readonly channel: 'healthy' | 'failing' | 'foreign';
  readonly isEntryDeleted: boolean;
  readonly isSuspended: boolean;
}

type AttemptFields = FieldsOf<Attempt>;
interface Snapshot extends FieldsOf<Delivery> {
  readonly log: readonly AttemptFields[];
}

/** A delivery in the table, as the aggregate and as it was stored. */
export class StoredDelivery {
  readonly id: string;
  readonly entryId: string;
  readonly claim: Claim;
  readonly delivery: Delivery;
  /** The last one, unfinished while the delivery is leased. */
  readonly attempt: Attempt;
  /** The one that the aggregate started or finished. */
  started: Attempt | null = null;
  changed = false;

  constructor(
    readonly shape: DeliveryShape,
    index: number,
  ) {
    const { state, attempts, failures, lease, inDigest, channel } = shape;
    const number = String(index).padStart(3, '0');
    this.id = `dl_${number}`;
    this.entryId = `wl_${number}`;
    this.claim = { id: this.id, token: `token_${number}` };
    this.attempt = Attempt.start(this.id, attempts, BEFORE);
    const leaseToken = { none: null, valid: this.claim.token, outdated: `newer_${number}` }[lease];
    this.delivery = hydrate(Delivery, {
      id: this.id,
      eventId: `evt_${number}`,
      channelId: `nc_${channel}`,
      host: 'hooks.example',
      state,
      attempts,
      failures,
      nextAttemptAt: state === 'pending' ? BEFORE : null,
      leaseToken,
      createdAt: BEFORE,
      digestId: inDigest ? DIGEST : null,
      urgent: true,
    });
  }

  /** As it should be read, with these fields besides, and this attempt. */
  snapshot(fields: Partial<Delivery> = {}, attempt?: Attempt, isLost = false): Snapshot {
    const isUnfinished = this.shape.attempts > 0 && this.shape.lease !== 'none';
    const last = isUnfinished && this.attempt.number !== attempt?.number ? [{ ...this.attempt }] : [];
    const log: AttemptFields[] = isLost ? last.map((one) => ({ ...one, outcome: 'lost' })) : last;
    return { ...this.delivery, ...fields, log: [...log, ...(attempt ? [{ ...attempt }] : [])] };
  }
}

const SELECT = `
  select d.id, d.event_id as "eventId", d.channel_id as "channelId", d.host, d.state, d.attempts, d.failures,
    d.next_attempt_at as "nextAttemptAt", l.token as "leaseToken", d.created_at as "createdAt",
    d.digest_id as "digestId", d.urgent
  from deliveries d left join delivery_leases l on l.delivery_id = d.id order by d.id`;
const SELECT_ATTEMPTS = `
  select delivery_id as "deliveryId", number, started_at as "startedAt", duration_ms as "durationMs", outcome,
    response_status as "responseStatus", response_excerpt as "responseExcerpt"
  from delivery_attempts order by delivery_id, number`;

/** The deliveries of a database, filled with generated rows. */
export class DeliveryTable {
  static readonly shapes = fc.array(
    fc
      .record({
        state: fc.constantFrom<Delivery['state']>('pending', 'delivered', 'failed', 'paused', 'disabled'),
        attempts: fc.nat(5),
        failures: fc.nat(5),
        lease: fc.constantFrom<DeliveryShape['lease']>('none', 'valid', 'outdated'),
        inDigest: fc.boolean(),
        channel: fc.constantFrom<DeliveryShape['channel']>('healthy', 'failing', 'foreign'),
        isEntryDeleted: fc.boolean(),
        isSuspended: fc.boolean(),
      })
      .map((shape) => ({ ...shape, failures: Math.min(shape.failures, shape.attempts) })),
    { minLength: 1, maxLength: 60 },
  );

  private constructor(
    private readonly notifications: NotificationService,
    readonly accountId: string,
  ) {}

  static async start(): Promise<DeliveryTable> {
    const notifications = await NotificationService.start();
    const { account } = notifications.service;
    const table = new DeliveryTable(notifications, account.id);
    const { id: foreign } = await notifications.service.openAccount();
    for (const [name, accountId, failure] of [
      ['healthy', account.id, null],
      ['failing', account.id, BEFORE],
      ['foreign', foreign, null],
    ] as const)
      await notifications.rows(
        `insert into notification_channels (id, account_id, type, target, canonical_target, host, older_secrets, active,
           event_types, tags, headers, first_failure_at, created_at)
         values ($1, $2, 'scripted', $1, $1, 'hooks.example', '[]', true, '{}', '{}', '{}', $3, $4)`,
        [`nc_${name}`, accountId, failure, BEFORE],
      );
    return table;
  }

  of<Provider>(token: abstract new (...parameters: never[]) => Provider): Provider {
    return this.notifications.of(token);
  }

  async clear(): Promise<void> {
    await this.notifications.rows('delete from events');
    await this.notifications.rows('delete from digests');
    await this.notifications.rows('update accounts set suspended_at = null');
  }

  async suspend(): Promise<void> {
    await this.notifications.rows('update accounts set suspended_at = now() where id = $1', [this.accountId]);
  }

  /** Replaces all deliveries. */
  async insert(shapes: readonly DeliveryShape[]): Promise<StoredDelivery[]> {
    await this.clear();
    const rows = shapes.map((shape, index) => new StoredDelivery(shape, index));
    const given = rows.map(({ delivery, attempt, entryId, shape }) => ({ ...shape, ...delivery, entryId, attempt }));
    await this.notifications.rows(
      `with given as (select * from jsonb_to_recordset($1) as g ("id" text, "eventId" text, "entryId" text,
         "channelId" text, host text, state text, attempts integer, failures integer, "nextAttemptAt" timestamptz,
         "leaseToken" text, "createdAt" timestamptz, "digestId" text, urgent boolean, "isSuspended" boolean)),
       events as (
         insert into events (id, account_id, type, entry_id, body, created_at)
         select "eventId", $2, 'watchlist.available', "entryId", '{}', "createdAt" from given),
       digests as (
         insert into digests (id, kind, channel_id, account_id, host, due_at, failures)
         values ('${DIGEST}', 'mail', 'nc_healthy', $2, 'hooks.example', $3, 0)),
       stored as (
         insert into deliveries (id, event_id, channel_id, host, state, attempts, failures, next_attempt_at, created_at,
           digest_id, urgent)
         select id, "eventId", "channelId", host, state, attempts, failures, "nextAttemptAt", "createdAt", "digestId",
           urgent
         from given),
       leases as (
         insert into delivery_leases (delivery_id, token, until, host, channel_id)
         select id, "leaseToken", now() + interval '1 hour', host, "channelId" from given where "leaseToken" is not null),
       suspended as (
         insert into suspended_deliveries (delivery_id, account_id) select id, $2 from given where "isSuspended")
       insert into delivery_attempts (delivery_id, number, started_at)
       select id, attempts, $3 from given where "leaseToken" is not null and attempts > 0`,
      [JSON.stringify(given), this.accountId, BEFORE],
    );
    return rows;
  }

  /** Tokens are chosen by the database; these get those of their `StoredDelivery.claim`. */
  async replaceTokens(claimed: readonly { readonly id: string }[]): Promise<void> {
    await this.notifications.rows(
      `update delivery_leases set token = replace(delivery_id, 'dl_', 'token_') where delivery_id = any($1)`,
      [claimed.map(({ id }) => id)],
    );
  }

  async read(): Promise<Snapshot[]> {
    const deliveries = (await this.notifications.rows(SELECT)) as unknown as FieldsOf<Delivery>[];
    const attempts = (await this.notifications.rows(SELECT_ATTEMPTS)) as unknown as AttemptFields[];
    const logs = Map.groupBy(attempts, ({ deliveryId }) => deliveryId);
    return deliveries.map((delivery) => ({ ...delivery, log: logs.get(delivery.id) ?? [] }));
  }

  close(): Promise<void> {
    return this.notifications.close();
  }
}
