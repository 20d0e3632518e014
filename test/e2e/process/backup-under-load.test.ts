import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { readConfig } from '../../../src/config/config.js';
import type { Manifest } from '../../../src/process/backup/manifest.js';
import { openDatabase } from '../../../src/process/open-database.js';
import { openFolder, removeFolders } from '../../integration/process/temporary-folders.js';
import { WebhookReceiver } from '../../support/fakes/webhook-receiver.js';
import { runAsProcess } from '../../support/programs/command-line.js';
import { running } from '../../support/running.js';
import { type ServiceProcess, startServiceProcess } from '../../support/servers/service-process.js';

jest.setTimeout(240_000); // whole processes start and work at full load, also on a busy machine

const WRITERS = 8;
const original = openFolder();
const restored = openFolder();
const backup = join(openFolder(), 'backup');
const receiver = running(() => WebhookReceiver.startTrusted());
afterAll(() => removeFolders());

const start = (DATA_DIR: string, settings: Record<string, string> = {}) =>
  startServiceProcess({ RDAP_BOOTSTRAP_URL: 'off', DNS_SERVERS: 'off', ...receiver.settings, DATA_DIR, ...settings });

async function post({ address }: ServiceProcess, path: string, body: object): Promise<string> {
  const key = readFileSync(join(original, 'first-key'), 'utf8').trim();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(`${address}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (answer.status !== 201) throw new Error(`${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as { id: string }).id;
}

/** Watches new names as fast as they are taken; each has an event and a delivery as soon as it is checked. */
class Load {
  readonly acknowledged = new Map<string, number>();
  private isStopped = false;
  private readonly writers: Promise<void>[];

  constructor(private readonly service: ServiceProcess) {
    this.writers = Array.from({ length: WRITERS }, (_, writer) => this.write(writer));
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all(this.writers);
  }

  private async write(writer: number): Promise<void> {
    for (let n = 0; !this.isStopped; n += 1) {
      const id = await post(this.service, '/v1/watchlist', {
        domain: `w${writer}-${n}--expiring.test`,
        notify_current: true,
      });
      this.acknowledged.set(id, Date.now());
    }
  }
}

interface Delivery {
  readonly id: string;
  readonly event_id: string;
  readonly state: string;
}

interface Content {
  readonly entries: ReadonlySet<string>;
  readonly events: ReadonlySet<string>;
  readonly deliveries: readonly Delivery[];
}

async function read(dataDir: string): Promise<Content> {
  const { config, close } = await openDatabase(readConfig({ DATA_DIR: dataDir }));
  const client = new pg.Client(config.databaseUrl ?? '');
  await client.connect();
  const ids = async (sql: string) => new Set((await client.query<{ id: string }>(sql)).rows.map(({ id }) => id));
  const content = {
    entries: await ids('select id from watch_entries'),
    events: await ids('select id from events'),
    deliveries: (await client.query<Delivery>('select id, event_id, state from deliveries order by id')).rows,
  };
  await client.end();
  await close();
  return content;
}

const receivedEvents = () => receiver.received.all.map(({ headers }) => String(headers['webhook-id']));
const identify = ({ id, event_id }: Delivery) => `${id} of ${event_id}`;

describe('a backup under full load', () => {
  let before: Content;
  let after: Content;
  let receivedBefore: string[];
  let takenAt: number;
  const load = { acknowledged: new Map<string, number>() };

  it('is taken while names are added, checked and delivered', async () => {
    const service = await start(original);
    await post(service, '/v1/notifications', { type: 'webhook', target: receiver.url() });
    const writing = new Load(service);
    await receiver.received.waitFor(50, 60_000);
    const atBegin = [...receivedEvents()];
    const acknowledgedAtBegin = writing.acknowledged.size;
    expect(await runAsProcess(['backup', backup], { DATA_DIR: original })).toMatchObject({ code: 0, err: '' });
    await writing.stop();
    await service.kill('SIGINT');
    receivedBefore = atBegin;
    takenAt = Date.parse((JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8')) as Manifest).taken_at);
    for (const [id, at] of writing.acknowledged) load.acknowledged.set(id, at);
    expect(writing.acknowledged.size).toBeGreaterThan(acknowledgedAtBegin);
    expect(await runAsProcess(['restore', backup], { DATA_DIR: restored })).toMatchObject({ code: 0, err: '' });
    [before, after] = [await read(original), await read(restored)];
  });

  it('has every entry that was acknowledged before it was taken, and none that never was', () => {
    const early = [...load.acknowledged].filter(([, at]) => at < takenAt).map(([id]) => id);
    expect(early.length).toBeGreaterThan(50);
    expect(early.filter((id) => !after.entries.has(id))).toEqual([]);
    expect([...after.entries].filter((id) => !before.entries.has(id))).toEqual([]);
    expect(after.entries.size).toBeLessThan(before.entries.size);
  });

  it('has the deliveries of each event in it, and none that the original lacks', () => {
    const ofRestoredEvents = before.deliveries.filter(({ event_id }) => after.events.has(event_id));
    expect(after.deliveries.map(identify)).toEqual(ofRestoredEvents.map(identify));
    expect(receivedBefore.filter((id) => !after.events.has(id))).toEqual([]);
  });

  it('sends nothing with SENDING=off, and without it what was pending and nothing else', async () => {
    const sentByOriginal = receiver.received.all.length;
    const looking = await start(restored, { SENDING: 'off' });
    await post(looking, '/v1/watchlist', { domain: 'looked--registered.test' });
    expect(await looking.kill('SIGINT')).toBe(0);
    expect(receiver.received.all).toHaveLength(sentByOriginal);
    const pending = (await read(restored)).deliveries.filter(({ state }) => state === 'pending');
    const restarted = await start(restored);
    const sent = (await receiver.received.waitFor(sentByOriginal + pending.length, 60_000)).slice(sentByOriginal);
    expect(await restarted.kill('SIGINT')).toBe(0);
    expect(new Set(sent.map(({ headers }) => headers['webhook-id']))).toEqual(new Set(pending.map((d) => d.event_id)));
    rmSync(backup, { recursive: true });
  });
});
