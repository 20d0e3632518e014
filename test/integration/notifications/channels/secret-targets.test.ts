import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { accepted, ChannelSenderRegistry, failed } from '../../../../src/notifications/index.js';
import { dumpDatabase, leaksIn } from '../../../support/database/dump-database.js';
import { SecretiveSender } from '../../../support/fakes/secretive-sender.js';
import { running } from '../../../support/running.js';
import { NotificationService } from '../../../support/servers/notification-service.js';

const [TOKEN, CREDENTIAL, REPLACED] = ['t0k3n-of-the-room', 'pt_0123456789abcdef', 'pt_fedcba9876543210'];
const TARGET = `room.example/${TOKEN}`;
const SECRETS = { token: TOKEN, credential: CREDENTIAL, replaced: REPLACED };
const MASKED = 'room.example/…';

const notifications = running(() => NotificationService.start());
let sender: SecretiveSender;
beforeAll(async () => {
  sender = new SecretiveSender();
  notifications.of(ChannelSenderRegistry).register(sender);
});
beforeEach(() => {
  sender.receive = () => accepted(200, null);
});

type Account = Awaited<ReturnType<NotificationService['service']['openAccount']>>;
const call = ({ key }: Account, method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
  notifications.service.call({ method, path: `/v1${path}`, key, headers, ...(body && { body }) });
const open = (account: Account, body: object = {}) =>
  call(account, 'POST', '/notifications', { type: 'secretive', target: TARGET, credential: CREDENTIAL, ...body });
const anAccount = async () => {
  const account = await notifications.service.openAccount();
  return { account, id: String((await open(account)).body['id']) };
};
const testOf = async (account: Account, id: string) => {
  await call(account, 'POST', `/notifications/${id}/test`);
  await notifications.deliverDue();
  const { body } = await call(account, 'GET', `/notifications/${id}/deliveries`);
  return JSON.stringify(body);
};
const lastSent = () => sender.sent.all.at(-1)?.channel;

describe('a channel with a secret target and a credential', () => {
  it('shows neither in any answer, and stores neither in plain text', async () => {
    const account = await notifications.service.openAccount();
    const once = { 'idempotency-key': 'once' };
    const body = { type: 'secretive', target: TARGET, credential: CREDENTIAL };
    const opened = await call(account, 'POST', '/notifications', body, once);
    expect(opened).toMatchObject({ status: 201, body: { type: 'secretive', target: MASKED } });
    expect(Object.keys(opened.body).sort()).toEqual(['active', 'id', 'target', 'type']);
    const path = `/notifications/${String(opened.body['id'])}`;
    const answers = [
      opened,
      await call(account, 'POST', '/notifications', body, once),
      await call(account, 'GET', '/notifications'),
      await call(account, 'GET', path),
      await call(account, 'PATCH', path, { credential: REPLACED }),
      await call(account, 'POST', `${path}/rotate-secret`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 200, 200, 200, 400]);
    expect(leaksIn(JSON.stringify(answers), SECRETS)).toEqual([]);
    expect(leaksIn(await dumpDatabase(notifications.service.databaseUrl), SECRETS)).toEqual([]);
  });

  it('uses the credential in deliveries, and the new one after a change', async () => {
    const { account, id } = await anAccount();
    await testOf(account, id);
    expect(lastSent()).toMatchObject({ target: TARGET, credential: CREDENTIAL });
    const { headers } = await call(account, 'GET', `/notifications/${id}`);
    await call(account, 'PATCH', `/notifications/${id}`, { credential: REPLACED });
    await testOf(account, id);
    expect(lastSent()).toMatchObject({ target: TARGET, credential: REPLACED });
    const stale = { 'if-match': String(headers['etag']) };
    const refused = await call(account, 'PATCH', `/notifications/${id}`, { credential: CREDENTIAL }, stale);
    expect(refused.status).toBe(412);
  });

  it('cannot be added twice to an account, whatever the spelling of its target', async () => {
    const { account, id } = await anAccount();
    const again = await open(account, { target: ` ${TARGET.toUpperCase()}` });
    expect(again).toMatchObject({ status: 409, body: { code: 'already_notified', id } });
    expect((await open(account, { target: `${TARGET}-2` })).status).toBe(201);
    expect((await open(await notifications.service.openAccount())).status).toBe(201);
  });

  it('stores the host of its target in plain text, for the limit per host', async () => {
    const { id } = await anAccount();
    expect(await notifications.rows('select host from notification_channels where id = $1', [id])).toEqual([
      { host: 'room.example' },
    ]);
  });

  it('needs a credential that its type accepts, while a webhook refuses any', async () => {
    const account = await notifications.service.openAccount();
    const field = { code: 'invalid_request', errors: [{ pointer: '/credential' }] };
    const refused = async (body: object) => (await open(account, body)).body;
    expect(await refused({ credential: undefined })).toMatchObject(field);
    expect(await refused({ credential: '' })).toMatchObject(field);
    expect(await refused({ credential: 'another' })).toMatchObject(field);
    expect(await refused({ type: 'webhook', target: 'https://hooks.example.test/' })).toMatchObject(field);
  });

  it('shows neither in an error that its sender throws', async () => {
    const account = await notifications.service.openAccount();
    const repeated = await open(account, { target: `${TARGET}!` });
    expect(repeated).toMatchObject({ status: 422, body: { code: 'target_invalid' } });
    const failing = await open(account, { target: `${TARGET}-bug` });
    expect(failing.status).toBe(500);
    expect(leaksIn(JSON.stringify([repeated, failing]), SECRETS)).toEqual([]);
  });

  it('shows neither in the stored excerpt of a reply nor in a delivery error', async () => {
    const { account, id } = await anAccount();
    sender.receive = ({ channel }) =>
      failed('http_error', {
        responseStatus: 400,
        responseExcerpt: `no ${encodeURIComponent(channel.target)}, no "${TOKEN}", no ${btoa(CREDENTIAL)}\u0000`,
      });
    const deliveries = await testOf(account, id);
    expect(deliveries).toContain('no …, no \\"…\\", no …\uFFFD');
    sender.receive = ({ channel }) => {
      throw new TypeError(`cannot post to ${channel.target}`, { cause: new Error(String(channel.credential)) });
    };
    await call(account, 'POST', `/notifications/${id}/test`);
    const [claim] = await notifications.claim();
    const error = await notifications.deliver(claim as never).catch((thrown: unknown) => thrown as Error);
    const logged = [error, error?.cause, (error?.cause as Error | undefined)?.cause].map((one) =>
      String((one as Error).stack),
    );
    expect(logged.join('\n')).toContain('cannot post to …');
    expect(leaksIn(logged.join('\n'), SECRETS)).toEqual([]);
  });
});

describe('a test delivery', () => {
  it.each([
    ['returns nothing', () => undefined],
    ['returns a result that cannot be stored', () => ({ ...accepted(200, null), responseStatus: 2.5 })],
  ])('ends as failed when the sender of its channel type %s', async (_, receive) => {
    const { account, id } = await anAccount();
    sender.receive = receive as never;
    await call(account, 'POST', `/notifications/${id}/test`);
    const [claim] = await notifications.claim();
    await expect(notifications.deliver(claim as never)).rejects.toThrow('the secretive sender failed unexpectedly');
    const [row] = await notifications.rows('select state from deliveries where channel_id = $1', [id]);
    expect(row).toEqual({ state: 'failed' });
  });
});

describe('a channel of a type that this process lacks', () => {
  it('can still be listed and changed', async () => {
    const { account, id } = await anAccount();
    await notifications.rows(`update notification_channels set type = 'later' where id = $1`, [id]);
    expect((await call(account, 'GET', '/notifications')).body).toMatchObject({ data: [{ id, type: 'later' }] });
    expect((await call(account, 'PATCH', `/notifications/${id}`, { tags: [] })).status).toBe(200);
  });
});
