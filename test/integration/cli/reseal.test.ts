import { afterAll, describe, expect, it } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChannelSenderRegistry } from '../../../src/notifications/index.js';
import { SecretiveSender } from '../../support/fakes/secretive-sender.js';
import { runInProcess } from '../../support/programs/command-line.js';
import { startTestService } from '../../support/servers/test-service.js';
import { dumpDatabase } from '../../support/database/dump-database.js';

const folder = mkdtempSync(join(tmpdir(), 'namewatch-reseal-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const aKey = () => randomBytes(32).toString('base64');
const idOf = (key: string) => createHash('sha256').update(Buffer.from(key, 'base64')).digest('hex').slice(0, 8);

const [former, current] = [aKey(), aKey()];
let databaseUrl: string;

const reseal = async (settings: Record<string, string>, ...words: string[]) => {
  const env = { PATH: process.env.PATH ?? '', DATABASE_URL: databaseUrl, DATA_DIR: folder, ...settings };
  return runInProcess(['secrets', 'reseal', ...words], env);
};
const startWith = (MASTER_KEY: string) => startTestService({ DATABASE_URL: databaseUrl, MASTER_KEY, ROLE: 'api' });

const SECRETIVE = {
  method: 'POST',
  path: '/v1/notifications',
  body: { type: 'secretive', target: 'room.example/t0k3n-of-the-room', credential: 'pt_0123456789' },
};

/** One of each kind of sealed secret, and the reply that is kept of the request that made the first. */
async function useEverything() {
  const service = await startTestService({ MASTER_KEY: former, ROLE: 'api' });
  databaseUrl = service.databaseUrl;
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
  const path = `/v1/notifications/${String(opened.body['id'])}/rotate-secret`;
  expect((await service.call({ method: 'POST', path, body: {}, key })).status).toBe(200);
  service.app.get(ChannelSenderRegistry, { strict: false }).register(new SecretiveSender());
  expect((await service.call({ ...SECRETIVE, key })).status).toBe(201);
  const session = await service.call({ method: 'POST', path: '/v1/sessions', key });
  const cookie = String(session.headers['set-cookie']).replace(/;.*/, '');
  await service.close();
  return { opening, opened, cookie };
}

describe('secrets reseal', () => {
  it('lets the former master key be dropped, and nothing be lost', async () => {
    const { opening, opened, cookie } = await useEverything();
    await expect(startWith(current)).rejects.toThrow(`MASTER_KEY_PREVIOUS lacks the key ${idOf(former)}`);
    const lost = await reseal({ MASTER_KEY: current });
    expect(lost).toMatchObject({ code: 1, out: expect.stringContaining('MASTER_KEY_PREVIOUS is still needed') });
    expect(await dumpDatabase(databaseUrl)).toContain(`${idOf(former)}.`);

    const both = { MASTER_KEY: current, MASTER_KEY_PREVIOUS: former };
    const { code, out } = await reseal(both, '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      key_id: idOf(current),
      can_drop_previous: true,
      kinds: [
        { kind: 'webhook secrets', resealed: 1, current: 0, unreadable: 0 },
        { kind: 'rotated webhook secrets', resealed: 1, current: 0, unreadable: 0 },
        { kind: 'secret targets', resealed: 1, current: 0, unreadable: 0 },
        { kind: 'credentials', resealed: 1, current: 0, unreadable: 0 },
        { kind: 'webhook headers', resealed: 1, current: 0, unreadable: 0 },
        { kind: 'stored responses', resealed: 1, current: 0, unreadable: 0 },
      ],
    });
    // Wherever it is: a sealed column that the list lacks would show here.
    expect(await dumpDatabase(databaseUrl)).not.toContain(`${idOf(former)}.`);

    const service = await startWith(current);
    const again = await service.call(opening);
    expect(again).toMatchObject({ status: 201, headers: { 'idempotency-replayed': 'true' }, body: opened.body });
    service.app.get(ChannelSenderRegistry, { strict: false }).register(new SecretiveSender());
    expect(await service.call({ ...SECRETIVE, key: opening.key })).toMatchObject({ status: 409 });
    const bySession = { path: '/v1/me', key: null, headers: { cookie, 'sec-fetch-site': 'same-origin' } };
    expect(await service.call(bySession)).toMatchObject({ status: 200 });
    await service.close();
  });

  it('changes nothing when it is run again', async () => {
    const settings = { MASTER_KEY: current, MASTER_KEY_PREVIOUS: former };
    const { out } = await reseal(settings);
    expect(out).toMatch(/^webhook secrets: 0 re-encrypted, 1 were already$/m);
    expect(out).toContain('MASTER_KEY_PREVIOUS can be dropped');
    expect(out).not.toContain(former);
  });
});
