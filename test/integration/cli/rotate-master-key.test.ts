import { afterAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { ChannelSenderRegistry } from '../../../src/notifications/index.js';
import { SecretBox } from '../../../src/platform/crypto/secret-box.js';
import { LeaseChannels } from '../../../src/notifications/deliveries/lease-channels.js';
import { DataKeyWatch } from '../../../src/platform/crypto/data-key-watch.js';
import { version } from '../../../src/platform/outbound/user-agent.js';
import { Readiness } from '../../../src/platform/readiness.js';
import { dumpDatabase } from '../../support/database/dump-database.js';
import { SecretiveSender } from '../../support/fakes/secretive-sender.js';
import { runInProcess } from '../../support/programs/command-line.js';
import { startTestService, type TestService } from '../../support/servers/test-service.js';

const folder = mkdtempSync(join(tmpdir(), 'namewatch-rotate-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const [former, current] = [SecretBox.generateKey(), SecretBox.generateKey()];
const idOf = (key: string) => new SecretBox(key).keyId;
const BOTH = { MASTER_KEY: current, MASTER_KEY_PREVIOUS: former };
let databaseUrl: string;

const rotate = (settings: Record<string, string>, ...words: string[]) => {
  const env = { PATH: process.env.PATH ?? '', DATABASE_URL: databaseUrl, DATA_DIR: folder, ...settings };
  return runInProcess(['secrets', 'rotate', ...words], env);
};
const startWith = (settings: Record<string, string>) =>
  startTestService({ DATABASE_URL: databaseUrl, ROLE: 'api', ...settings });

const SECRETIVE = {
  method: 'POST',
  path: '/v1/notifications',
  body: { type: 'secretive', target: 'room.example/t0k3n-of-the-room', credential: 'pt_0123456789' },
};

/** One of each kind of sealed secret, the reply that is kept of a request, a session, and a cursor. */
async function useEverything(service: TestService) {
  const { key } = service.account;
  const opening = {
    method: 'POST',
    path: '/v1/notifications',
    key,
    headers: { 'idempotency-key': 'once' },
    body: { type: 'webhook', target: 'https://hooks.example.test/', headers: { 'x-token': 'sesame' } },
  };
  const opened = await service.call(opening);
  expect(opened.status).toBe(201);
  service.get(ChannelSenderRegistry).register(new SecretiveSender());
  expect((await service.call({ ...SECRETIVE, key })).status).toBe(201);
  const session = await service.call({ method: 'POST', path: '/v1/sessions', key });
  const cookie = String(session.headers['set-cookie']).replace(/;.*/, '');
  const feed = await service.call({ path: '/v1/events', key });
  const cursor = String((feed.body['meta'] as { next: unknown }).next);
  expect(cursor).toMatch(/^[\w-]{20,}$/);
  return { opening, opened, cookie, cursor };
}

async function readDataKey(): Promise<string> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const { rows } = await client.query<{ sealed_key: string }>(
    'select sealed_data_key as sealed_key from database_state',
  );
  await client.end();
  return rows[0]?.sealed_key ?? '';
}

describe('a new master key', () => {
  it('is refused, and changes nothing, while a running process does not have the new key', async () => {
    const service = await startTestService({ MASTER_KEY: former, ROLE: 'api' });
    databaseUrl = service.databaseUrl;
    const before = await readDataKey();
    const { code, err } = await rotate(BOTH);
    expect({ code, err }).toEqual({
      code: 5,
      err: expect.stringMatching(
        new RegExp(
          `^these processes lack MASTER_KEY \\(${idOf(current)}\\): api on \\S+ \\(pid ${process.pid}\\); restart them`,
        ),
      ),
    });
    expect(await readDataKey()).toBe(before);
    await service.close();
  });

  it('replaces the former key, and stored secrets, sessions and cursors keep working', async () => {
    const service = await startWith(BOTH);
    const { opening, opened, cookie, cursor } = await useEverything(service);
    await expect(startWith({ MASTER_KEY: current })).rejects.toThrow(`need the master key ${idOf(former)}`);
    expect(await rotate({ MASTER_KEY: current })).toMatchObject({ code: 78 });

    const { code, out } = await rotate(BOTH, '--json');
    expect([code, JSON.parse(out)]).toEqual([0, { key_id: idOf(current), rotated: true, can_drop_previous: true }]);
    expect(await dumpDatabase(databaseUrl)).not.toContain(`${idOf(former)}.`);
    expect(
      (await service.call({ ...opening, headers: {}, body: { ...opening.body, target: 'https://b.example.test/' } }))
        .status,
    ).toBe(201);
    expect((await rotate(BOTH)).out).toMatch(/^MASTER_KEY \(\w{8}\) protected all stored secrets already\.$/m);
    await service.close();

    const next = await startWith({ MASTER_KEY: current });
    const again = await next.call(opening);
    expect(again).toMatchObject({ status: 201, headers: { 'idempotency-replayed': 'true' }, body: opened.body });
    next.get(ChannelSenderRegistry).register(new SecretiveSender());
    expect(await next.call({ ...SECRETIVE, key: opening.key })).toMatchObject({ status: 409 });
    const bySession = { path: '/v1/me', key: null, headers: { cookie, 'sec-fetch-site': 'same-origin' } };
    expect(await next.call(bySession)).toMatchObject({ status: 200 });
    expect(await next.call({ path: `/v1/events?after=${cursor}`, key: opening.key })).toMatchObject({ status: 200 });
    await next.close();
  });

  it('is not stored if the audit record about the change cannot be written', async () => {
    const before = await readDataKey();
    const client = new pg.Client(databaseUrl);
    await client.connect();
    await client.query('alter table audit_records rename to audit_records_away');
    expect((await rotate({ MASTER_KEY: former, MASTER_KEY_PREVIOUS: current })).code).toBe(1);
    await client.query('alter table audit_records_away rename to audit_records');
    await client.end();
    expect(await readDataKey()).toBe(before);
  });

  it('makes a process without the key claim no deliveries and report itself not ready', async () => {
    const service = await startWith({ MASTER_KEY: current, ROLE: 'worker', SENDING: 'off' });
    const channel = await service.query<{ id: string }>(
      `select id from notification_channels where type = 'webhook' limit 1`,
    );
    expect(channel.rows).toHaveLength(1);
    await service.query(
      `insert into events (id, account_id, type, body, created_at)
       select 'evt_' || id, account_id, 'channel.test', '{}', now() from notification_channels where id = $1`,
      [channel.rows[0]?.id],
    );
    await service.query(
      `insert into deliveries (id, event_id, channel_id, state, attempts, next_attempt_at, created_at)
       select 'dl_1', 'evt_' || id, id, 'pending', 0, now() - interval '1 minute', now() - interval '1 minute'
       from notification_channels where id = $1`,
      [channel.rows[0]?.id],
    );
    const kept = await readDataKey();
    await service.query('update database_state set sealed_data_key = $1', [
      new SecretBox(former).seal(former, 'the data key'),
    ]);
    await service.get(DataKeyWatch).look();
    expect(await service.get(LeaseChannels).claim(5)).toEqual({ leased: 0, batches: [] });
    expect((await service.get(Readiness).report()).checks).toMatchObject({ database: 'ok', master_key: 'unavailable' });
    const { rows } = await service.query(`select attempts, state from deliveries where id = 'dl_1'`);
    expect(rows).toEqual([{ attempts: 0, state: 'pending' }]);

    await service.query('update database_state set sealed_data_key = $1', [kept]);
    await service.get(DataKeyWatch).look();
    expect(await service.get(LeaseChannels).claim(5)).toMatchObject({ leased: 1 });
    await service.close();
  });
});

describe('namewatch status', () => {
  const status = async (...words: string[]) => {
    const env = { PATH: process.env.PATH ?? '', DATABASE_URL: databaseUrl, DATA_DIR: folder, MASTER_KEY: current };
    return runInProcess(['status', ...words], env);
  };

  it('shows processes, due names and deliveries, the last backup, database size and failing registries', async () => {
    const service = await startWith({ MASTER_KEY: current, ROLE: 'api' });
    await service.query(
      `insert into processes (id, role, version, host, pid, master_keys, seen_at)
       values ('killed', 'worker', '0.9.0', 'elsewhere', 7, '{}', now() - interval '2 minutes')`,
    );
    await service.query(`update deliveries set next_attempt_at = now() - interval '1 hour' where id = 'dl_1'`);
    await service.query(
      `insert into registry_operators (operator, blocked_until) values ('busy.example', now() + interval '1 hour')`,
    );
    expect((await status()).out).toMatch(/^Backup {6}none yet$/m);
    await service.query(`update database_state set backup_taken_at = now(), backup_bytes = 1200000`);
    const { code, out } = await status('--json');
    expect([code, JSON.parse(out)]).toEqual([
      0,
      {
        processes: [
          expect.objectContaining({ role: 'api', version, host: hostname(), pid: process.pid, silent: false }),
          expect.objectContaining({ role: 'worker', version: '0.9.0', host: 'elsewhere', pid: 7, silent: true }),
        ],
        overdue_names: { count: 0, oldest_seconds: 0 },
        due_deliveries: { count: 1, oldest_seconds: expect.any(Number) },
        last_backup: { taken_at: expect.stringMatching(/Z$/), bytes: 1_200_000 },
        database_bytes: expect.any(Number),
        failing_registries: [{ operator: 'busy.example', reason: 'block', until: expect.stringMatching(/Z$/) }],
      },
    ]);
    const lines = (await status()).out;
    expect(lines).toMatch(/^Deliveries {2}1 delivery is due, the oldest for 3[56]\d\d s$/m);
    expect(lines).toMatch(/^ {2}busy\.example: asked for a pause, asked again at /m);
    expect(lines).toMatch(/^worker .* SILENT$/m);
    await service.close();
    expect((await status('--json')).out).not.toContain('"api"'); // it ended in good order
  });
});
