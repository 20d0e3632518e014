import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { newId } from '../../src/kernel/identifier.js';
import { SecretBox } from '../../src/platform/crypto/secret-box.js';
import { type Child, startChild } from '../child.js';
import { BODY } from './raw-loop.js';
import type { Receivers } from './receivers.js';

const CHANNELS = 100;
const launcher = join(import.meta.dirname, '../../bin/namewatch.mjs');

/** The service as people run it, with a hundred webhook channels and nothing else to do. */
export class Sender {
  private channels: { readonly id: string; readonly host: string }[] = [];
  private readonly account = newId('acc');

  private constructor(
    private readonly service: Child,
    private readonly database: pg.Client,
    private readonly folder: string,
  ) {}

  static async start(databaseUrl: string, receivers: Receivers, env: Record<string, string>): Promise<Sender> {
    const folder = mkdtempSync(join(tmpdir(), 'namewatch-bench-'));
    const authority = join(folder, 'authority.pem');
    writeFileSync(authority, receivers.authority);
    const masterKey = randomBytes(32).toString('base64');
    const service = await startChild([launcher, 'up'], {
      DATABASE_URL: databaseUrl,
      MASTER_KEY: masterKey,
      DATA_DIR: folder,
      PORT: '0',
      RDAP_BOOTSTRAP_URL: 'off',
      LOG_LEVEL: 'warn',
      WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
      WEBHOOK_CA_FILE: authority,
      ...env,
    });
    const database = new pg.Client({ connectionString: databaseUrl });
    await database.connect();
    const sender = new Sender(service, database, folder);
    await sender.openChannels(receivers.origins, new SecretBox([masterKey]));
    return sender;
  }

  /** @returns attempts made and written down in a second */
  async deliver(many: number): Promise<number> {
    const began = performance.now();
    const ids = await this.publish(many);
    for (;;) {
      const { rows } = await this.database.query(`select from deliveries where state = 'pending' limit 1`);
      if (rows.length === 0) break;
      await pause(20);
    }
    const took = performance.now() - began;
    await this.checkAll(ids, many);
    return (many * 1_000) / took;
  }

  async close(): Promise<void> {
    await this.service.close();
    await this.database.end();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async openChannels(origins: readonly string[], box: SecretBox): Promise<void> {
    await this.database.query(
      `insert into accounts (id, name, plan, created_at) values ($1, 'bench', 'selfhost', now())`,
      [this.account],
    );
    for (let n = 0; n < CHANNELS; n += 1) {
      const [id, target] = [newId('nc'), `${origins[n % origins.length]}/hook/${n}`];
      const host = new URL(target).hostname;
      const sealed = box.seal(`whsec_${randomBytes(32).toString('base64')}`, `notification channel ${id}`);
      await this.database.query(
        `insert into notification_channels
           (id, account_id, type, target, canonical_target, host, sealed_secret, active, event_types, tags, created_at)
         values ($1, $2, 'webhook', $3, $3, $4, $5, true, '{}', '{}', now())`,
        [id, this.account, target, host, sealed],
      );
      this.channels.push({ id, host });
    }
  }

  /** Events that all channels are told of, all at once. @returns their ids */
  private async publish(many: number): Promise<string[]> {
    const events = Array.from({ length: many / CHANNELS }, () => newId('evt'));
    const deliveries = events.flatMap((event) => this.channels.map(({ id, host }) => [newId('dl'), event, id, host]));
    await this.database.query(
      `with published as (
         insert into events (id, account_id, type, body, created_at)
         select id, $2, 'watchlist.available', $3, now() from unnest($1::text[]) id)
       insert into deliveries (id, event_id, channel_id, host, state, next_attempt_at, created_at)
       select *, 'pending', now(), now() from unnest($4::text[], $5::text[], $6::text[], $7::text[])`,
      [events, this.account, BODY, ...[0, 1, 2, 3].map((column) => deliveries.map((row) => row[column]))],
    );
    return events;
  }

  /** Speed that loses something, or does it twice, is none. */
  private async checkAll(events: readonly string[], many: number): Promise<void> {
    const { rows } = await this.database.query<Record<string, number>>(
      `select count(distinct d.id)::int as deliveries, count(*)::int as attempts
       from deliveries d join delivery_attempts a on a.delivery_id = d.id
       where d.event_id = any($1) and d.state = 'delivered' and a.outcome = 'ok' and d.id not in (select delivery_id from delivery_leases)`,
      [events],
    );
    const [{ deliveries, attempts } = {}] = rows;
    if (deliveries !== many || attempts !== many)
      throw new Error(`of ${many} deliveries ${deliveries} arrived, in ${attempts} attempts`);
  }
}
