import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { newId } from '../../../src/kernel/identifier.js';
import { openSecretBox } from '../../../src/platform/crypto/data-key.js';
import type { SecretBox } from '../../../src/platform/crypto/secret-box.js';
import { askIn } from '../../../src/platform/database/session.js';
import { MASTER_KEY, quietSettings, startService } from '../child.js';
import { temporaryFolder } from '../cleanup.js';
import { connect, openAccount } from '../postgres.js';
import { BODY } from './raw-loop.js';
import type { Receivers } from './receivers.js';

const HANGING = 25;
/** No multiple of the 250 ms between two claims: else all events, or none, would wait for the next one as long. */
const EVENT_INTERVAL_MS = 200;

interface Channel {
  readonly id: string;
}

/** The service as people run it, with webhook channels and nothing else to do. */
export class Sender {
  private channels: Channel[] = [];
  private hanging: Channel[] = [];

  private constructor(
    private readonly database: pg.Client,
    private readonly account: string,
  ) {}

  static async start(
    databaseUrl: string,
    receivers: Receivers,
    channels: number,
    env: Record<string, string>,
  ): Promise<Sender> {
    const authority = join(temporaryFolder(), 'authority.pem');
    writeFileSync(authority, receivers.authority);
    await startService({
      ...quietSettings(databaseUrl),
      WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
      WEBHOOK_CA_FILE: authority,
      ...env,
    });
    const database = await connect(databaseUrl);
    const sender = new Sender(database, (await openAccount(database)).id);
    const box = await openSecretBox(askIn(database), [MASTER_KEY]);
    sender.channels = await sender.openChannels(channels, 'hook', receivers.origins, box);
    sender.hanging = await sender.openChannels(HANGING, 'hang', receivers.hanging, box);
    return sender;
  }

  /**
   * @param received counts the webhooks that have arrived; without it the database is asked, which has enough to do
   * @returns attempts made and written down in a second, counted from the moment when all of them wait
   */
  async deliver(many: number, received = () => Promise.resolve(many)): Promise<number> {
    const ids = await this.publish(many / this.channels.length, this.channels);
    const began = performance.now();
    while ((await received()) < many) await pause(20);
    await this.awaitDelivered(ids);
    const took = performance.now() - began;
    await this.checkAll(ids, many);
    return (many * 1_000) / took;
  }

  /** @returns how long each delivery took, from its event to the end of its attempt, in milliseconds */
  async delays(events: number): Promise<number[]> {
    const ids: string[] = [];
    for (let n = 0; n < events; n += 1) {
      ids.push(...(await this.publish(1, this.channels)));
      await pause(EVENT_INTERVAL_MS);
    }
    await this.awaitDelivered(ids);
    const { rows } = await this.database.query<{ delay: number }>(
      `select extract(epoch from
         a.started_at + make_interval(secs => a.duration_ms / 1000.0) - d.created_at)::float * 1000 as delay
       from deliveries d join delivery_attempts a on a.delivery_id = d.id where d.event_id = any($1)`,
      [ids],
    );
    return rows.map(({ delay }) => delay);
  }

  /** More work for receivers that hang than can be under way. */
  async hang(): Promise<void> {
    await this.publish(20, this.hanging);
  }

  async forgetHanging(): Promise<void> {
    await this.database.query('delete from deliveries where channel_id = any($1)', [this.hanging.map(({ id }) => id)]);
  }

  private async openChannels(many: number, path: string, origins: readonly string[], box: SecretBox) {
    const channels: Channel[] = [];
    for (let n = 0; n < many; n += 1) {
      const [id, target] = [newId('nc'), `${origins[n % origins.length]}/${path}/${n}`];
      const host = new URL(target).hostname;
      const sealed = box.seal(`whsec_${randomBytes(32).toString('base64')}`, `notification channel ${id}`);
      await this.database.query(
        `insert into notification_channels
           (id, account_id, type, target, canonical_target, host, sealed_secret, active, event_types, tags, created_at)
         values ($1, $2, 'webhook', $3, $3, $4, $5, true, '{}', '{}', now())`,
        [id, this.account, target, host, sealed],
      );
      channels.push({ id });
    }
    return channels;
  }

  /** Publishes events to all these channels at once. @returns their ids */
  private async publish(many: number, channels: readonly Channel[]): Promise<string[]> {
    const events = Array.from({ length: many }, () => newId('evt'));
    const deliveries = events.flatMap((event) => channels.map(({ id }) => [newId('dl'), event, id]));
    await this.database.query(
      `with published as (
         insert into events (id, account_id, type, body, created_at)
         select id, $2, 'watchlist.available', $3, now() from unnest($1::text[]) id)
       insert into deliveries (id, event_id, channel_id, state, next_attempt_at, created_at)
       select *, 'pending', now(), now() from unnest($4::text[], $5::text[], $6::text[])`,
      [events, this.account, BODY, ...[0, 1, 2].map((column) => deliveries.map((row) => row[column]))],
    );
    return events;
  }

  private async awaitDelivered(events: readonly string[]): Promise<void> {
    const pending = `select from deliveries where event_id = any($1) and state = 'pending' limit 1`;
    while ((await this.database.query(pending, [events])).rows.length > 0) await pause(10);
  }

  /** Speed that loses something, or does it twice, is none. */
  private async checkAll(events: readonly string[], many: number): Promise<void> {
    const { rows } = await this.database.query<Record<string, number>>(
      `select count(distinct d.id)::int as deliveries, count(*)::int as attempts
       from deliveries d join delivery_attempts a on a.delivery_id = d.id
       where d.event_id = any($1) and d.state = 'delivered' and a.outcome = 'ok' and d.channel_id not in (select channel_id from channel_leases where token is not null)`,
      [events],
    );
    const [{ deliveries, attempts } = {}] = rows;
    if (deliveries !== many || attempts !== many)
      throw new Error(`of ${many} deliveries ${deliveries} arrived, in ${attempts} attempts`);
  }
}
