import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { Agent, request } from 'undici';
import { EXAMPLE_EVENTS } from '../../../src/notifications/events/event-examples.js';
import { CertificateAuthority } from '../../support/builders/certificates.js';
import { eventually } from '../../support/eventually.js';
import { ownEnvironment } from '../../support/programs/own-environment.js';
import { pythonForTests } from '../../support/programs/python.mjs';
import { startTestService, type TestService } from '../../support/servers/test-service.js';
import { freePort } from '../../../src/process/postgres/embedded-postgres.js';

const RECEIVERS = join(import.meta.dirname, '../../../examples/receivers');
const python = pythonForTests();
const PROGRAMS: [name: string, program: string, file: string][] = [
  ['Express', process.execPath, 'express/receiver.mjs'],
  ['Fastify', process.execPath, 'fastify/receiver.mjs'],
  ...(python === null ? [] : [['Python', python, 'python/receiver.py'] as [string, string, string]]),
];

const folder = mkdtempSync(join(tmpdir(), 'namewatch-receivers-'));
const file = (name: string) => join(folder, name);
let service: TestService;
let dispatcher: Agent;
beforeAll(async () => {
  const authority = await CertificateAuthority.create();
  const { key, cert } = await authority.issue(['127.0.0.1']);
  for (const [name, text] of Object.entries({ 'ca.pem': authority.cert, 'key.pem': key, 'cert.pem': cert }))
    writeFileSync(file(name), text);
  dispatcher = new Agent({ connect: { ca: authority.cert } });
  service = await startTestService({ WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8', WEBHOOK_CA_FILE: file('ca.pem') });
});
afterAll(async () => {
  await service.close();
  await dispatcher.destroy();
  rmSync(folder, { recursive: true, force: true });
});

const post = async (path: string, body: object = {}) =>
  (await service.call({ method: 'POST', path, body })).body as Record<string, string>;

describe.each(PROGRAMS)('the example receiver for %s', (_name, program, source) => {
  const lines: string[] = [];
  let target: string;
  let channel: Record<string, string>;
  let stop: () => Promise<unknown>;
  beforeAll(async () => {
    const port = await freePort();
    target = `https://127.0.0.1:${port}/webhooks`;
    channel = await post('/v1/notifications', { type: 'webhook', target });
    const settings = { WEBHOOK_SECRET: channel['secret'], PORT: String(port) };
    const env = { ...ownEnvironment(), ...settings, TLS_CERT: file('cert.pem'), TLS_KEY: file('key.pem') };
    const child = spawn(program, [join(RECEIVERS, source)], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = once(child, 'exit');
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
    stop = () => {
      child.kill('SIGKILL');
      return exited;
    };
    await printed('listening on port');
  });
  afterAll(() => stop());

  const printed = (text: string) =>
    eventually(
      async () => lines.filter((line) => line.includes(text)),
      (found) => found.length > 0,
    );
  const delivered = (id = '') =>
    eventually(
      async () => {
        const { body } = await service.call({ path: `/v1/notifications/${channel['id']}/deliveries` });
        return (body['data'] as Record<string, unknown>[]).find((one) => one['id'] === id);
      },
      (delivery) => delivery?.['state'] === 'delivered',
    );
  /** A message of our own making; `now` in milliseconds. */
  const sends = async (id: string, changes: { secret?: string; now?: number; more?: string; altered?: boolean }) => {
    const { secret = channel['secret'] ?? '', now = Date.now(), more = '', altered = false } = changes;
    const body = JSON.stringify({ id, type: 'channel.test', timestamp: '', data: { message: `the text of ${id}` } });
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now / 1_000)),
      'webhook-signature': more + new Webhook(secret).sign(id, new Date(now), body),
    };
    const sent = altered ? body.replace('the text', 'another text') : body;
    const reply = await request(target, { method: 'POST', headers, body: sent, dispatcher });
    await reply.body.dump();
    return reply.statusCode;
  };

  const posts = async (id: string, body: string) => {
    const [now, webhook] = [new Date(), new Webhook(channel['secret'] ?? '')];
    const timestamp = String(Math.floor(now.getTime() / 1_000));
    const signature = webhook.sign(id, now, body);
    const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
    const reply = await request(target, { method: 'POST', headers, body, dispatcher });
    await reply.body.dump();
    return reply.statusCode;
  };

  it('accepts real deliveries, and prints what happened', async () => {
    const test = await post(`/v1/notifications/${channel['id']}/test`);
    await printed(`${test['event_id']}: This is a test`);
    await delivered(test['id']);
    const name = `${source.replace(/\W/g, '-')}--available.test`;
    await post('/v1/watchlist', { domain: name, notify_current: true });
    await printed(`${name} can be registered now`);
  });

  it('accepts every type of event, and prints a complete line for each', async () => {
    for (const { id, type, body } of Object.values(EXAMPLE_EVENTS)) {
      expect(await posts(id, body)).toBe(204);
      const [line = ''] = await printed(`${id}: `);
      expect(`${type}: ${line}`).not.toMatch(/undefined|None|is new to this receiver/);
    }
  });

  it('prints no previous status in the first event about a name', async () => {
    const { body } = EXAMPLE_EVENTS['watchlist.status_changed'];
    expect(
      await posts('evt_first', body.replace('deletion_started', 'discovered').replace(/evt_\w+/, 'evt_first')),
    ).toBe(204);
    expect(await printed('evt_first: ')).toEqual(['evt_first: first answer about lapsing.test: redemption']);
  });

  it('handles an event only once if it is delivered twice', async () => {
    const test = await post(`/v1/notifications/${channel['id']}/test`);
    await delivered(test['id']);
    await post(`/v1/deliveries/${test['id']}/redeliver`);
    expect(await delivered(test['id'])).toMatchObject({ attempts: [{ number: 1 }, { number: 2 }] });
    expect(await sends('evt_later', {})).toBe(204);
    await printed('the text of evt_later');
    expect(await printed(String(test['event_id']))).toHaveLength(1);
  });

  it('accepts a message when one of several signatures matches', async () => {
    const other = new Webhook(`whsec_${Buffer.alloc(32, 1).toString('base64')}`).sign('evt_both', new Date(), 'x');
    expect(await sends('evt_both', { more: `v1a,unknown ${other} ` })).toBe(204);
    await printed('the text of evt_both');
  });

  it.each([
    ['forged', { secret: `whsec_${Buffer.alloc(32, 2).toString('base64')}` }],
    ['altered', { altered: true }],
    ['too old', { now: Date.now() - 301_000 }],
    ['too new', { now: Date.now() + 3_600_000 }],
  ])('refuses a message that is %s', async (why, changes) => {
    const id = `evt_${why.replace(' ', '_')}`;
    expect(await sends(id, changes)).toBe(400);
    expect(lines.filter((line) => line.includes(id))).toEqual([]);
  });

  it('rejects a message without a signature, or with an invalid one', async () => {
    for (const headers of [{}, { 'webhook-id': 'x', 'webhook-timestamp': 'now', 'webhook-signature': 'v1,' }]) {
      const reply = await request(target, { method: 'POST', headers, body: '{"', dispatcher });
      await reply.body.dump();
      expect(reply.statusCode).toBe(400);
    }
    expect(await sends('evt_alive', {})).toBe(204);
  });
});
