import { beforeEach, describe, expect, it } from '@jest/globals';
import { Clock } from '../../../../src/kernel/clock.js';
import { entryOf, nameOf } from '../../../support/builders/numbered-names.js';
import { anEvent } from '../../../support/builders/notification-events.js';
import { dumpDatabase, leaksIn } from '../../../support/database/dump-database.js';
import { type ReceivedWebhook, WebhookReceiver } from '../../../world/receiver.js';
import { running } from '../../../support/running.js';
import { NotificationService } from '../../../support/servers/notification-service.js';

const ROUTING_KEY = 'a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6';
const BOT_TOKEN = '123456:S3cretS3cretS3cretS3cret';
const SECRETS = { routingKey: ROUTING_KEY, botToken: BOT_TOKEN };

const receiver = running(() => WebhookReceiver.startTrusted());
const notifications = running(() => NotificationService.start(receiver.settings));
let account: { id: string; key: string };
beforeEach(async () => {
  account = await notifications.service.openAccount();
  receiver.answersWith(202, {}, '{"status":"success"}');
});

const pagerduty = () => receiver.url(`/v2/enqueue?routing_key=${ROUTING_KEY}`);
const telegram = (chat = '-100123') => receiver.url(`/bot${BOT_TOKEN}/sendMessage?chat_id=${chat}`);
const call = (method: string, path: string, body?: object) =>
  notifications.service.call({ method, path: `/v1${path}`, key: account.key, ...(body && { body }) });
const open = (format: string, target: string, more: object = {}) =>
  call('POST', '/notifications', { type: 'webhook', format, target, ...more });
const requests = async (count: number) => (await receiver.received.waitFor(count)).slice(-count);
const happens = async () => {
  await notifications.happens({ ...notifications.event(), accountId: account.id });
  await notifications.deliverDue();
};
const bodyOf = ({ body }: ReceivedWebhook) => JSON.parse(body.toString()) as Record<string, unknown>;
const stateOf = async (id: unknown) =>
  notifications.rows(
    `select d.state, a.outcome, a.response_status as status, a.response_excerpt as excerpt
     from deliveries d join delivery_attempts a on a.delivery_id = d.id where d.channel_id = $1 order by a.number`,
    [id],
  );

describe('a webhook with a chat format', () => {
  it('never shows its secret URL in an answer, and stores it encrypted', async () => {
    const opened = await open('pagerduty', pagerduty());
    const masked = receiver.url('/v2/enqueue?routing_key=…');
    const id = String(opened.body['id']);
    expect(opened).toMatchObject({
      status: 201,
      body: { id, type: 'webhook', format: 'pagerduty', target: masked, active: true },
    });
    expect(Object.keys(opened.body).sort()).toEqual(['active', 'format', 'id', 'target', 'type']);
    const list = await call('GET', '/notifications');
    expect(list.body['data']).toEqual([{ id, type: 'webhook', target: masked, active: true }]);
    const shown = await call('GET', `/notifications/${id}`);
    expect(shown.body).toMatchObject({ type: 'webhook', format: 'pagerduty', target: masked });
    const again = await open('pagerduty', ` ${pagerduty()}#fragment`);
    expect(again).toMatchObject({ status: 409, body: { code: 'already_notified', id } });
    await happens();
    const answers = [opened, list, shown, again, await call('GET', `/notifications/${id}/deliveries`)];
    expect(leaksIn(JSON.stringify(answers), SECRETS)).toEqual([]);
    expect(leaksIn(await dumpDatabase(notifications.service.databaseUrl), SECRETS)).toEqual([]);
  });

  it('posts the body that the chat product expects, without a signature', async () => {
    const { body: first } = await open('pagerduty', pagerduty());
    await open('telegram', telegram());
    receiver.answersWith(200, {}, '{"ok":true}');
    const before = receiver.received.all.length;
    await happens();
    const sent = (await receiver.received.waitFor(before + 2)).slice(before);
    for (const { method, headers } of sent) {
      expect({ method, type: headers['content-type'] }).toEqual({ method: 'POST', type: 'application/json' });
      expect(Object.keys(headers).filter((name) => /^(webhook|x-delivery)-/.test(name))).toEqual([]);
    }
    const bodies = Object.fromEntries(sent.map((one) => [one.path, bodyOf(one)]));
    expect(bodies['/v2/enqueue']).toMatchObject({ routing_key: ROUTING_KEY, event_action: 'trigger' });
    expect(bodies[`/bot${BOT_TOKEN}/sendMessage`]).toMatchObject({
      chat_id: '-100123',
      text: expect.stringContaining('lapsed.example is now available') as unknown,
    });
    expect(await stateOf(first['id'])).toMatchObject([{ state: 'delivered', outcome: 'ok' }]);
  });

  it('becomes inactive when the chat product reports the chat as gone, and an event says so', async () => {
    const { body } = await open('telegram', telegram());
    receiver.answersWith(403, {}, '{"ok":false,"error_code":403,"description":"Forbidden: bot was kicked"}');
    await happens();
    const shown = await call('GET', `/notifications/${String(body['id'])}`);
    const detail = 'the bot was blocked, or removed from the chat';
    expect(shown.body).toMatchObject({ active: false, reason: 'gone', reason_detail: detail });
    const events = await notifications.rows(
      `select body::json -> 'data' ->> 'type' as type from events where account_id = $1 and type = 'channel.disabled'`,
      [account.id],
    );
    expect(events).toEqual([{ type: 'webhook' }]);
  });

  it('accepts custom headers for ntfy, which needs them, but not for slack', async () => {
    const headers = { authorization: 'Bearer tk_example' };
    await open('ntfy', receiver.url('/topic-of-mine'), { headers });
    await happens();
    const [sent] = await requests(1);
    expect(sent).toMatchObject({ path: '/', headers });
    expect(bodyOf(sent as ReceivedWebhook)).toMatchObject({ topic: 'topic-of-mine' });
    expect(await open('slack', receiver.url(), { headers })).toMatchObject({
      status: 400,
      body: {
        errors: [{ pointer: '/headers', message: 'Channels of type webhook with format slack take no headers.' }],
      },
    });
  });

  it.each<[string, object, number, string, string]>([
    ['an unknown format', { format: 'sms' }, 400, 'invalid_request', '/format'],
    ['null as its format', { format: null }, 400, 'invalid_request', '/format'],
    ['a list as its format', { format: ['slack'] }, 400, 'invalid_request', '/format'],
    [
      'a chat format for a mail channel',
      { type: 'email', target: 'you@example.test' },
      400,
      'invalid_request',
      '/format',
    ],
    ['the type webhook:slack', { type: 'webhook:slack', format: undefined }, 400, 'invalid_request', '/type'],
    ['a target of another product', { format: 'discord' }, 422, 'target_invalid', '/target'],
    ['a target over http', { target: 'http://hooks.slack.com/services/T0/B0/x' }, 422, 'target_not_allowed', '/target'],
    ['a private address', { target: 'https://10.0.0.1/hook' }, 422, 'target_not_allowed', '/target'],
    ['a credential', { credential: 'x' }, 400, 'invalid_request', '/credential'],
  ])('is refused with %s, and nothing is written', async (_, change, status, code, pointer) => {
    const refused = await open('slack', 'https://mattermost.example/hooks/x', change);
    expect(refused).toMatchObject({ status, body: { code, errors: [{ pointer }] } });
    expect((await call('GET', '/notifications')).body['data']).toEqual([]);
  });

  it('refuses a change of its format, and has no secret to rotate', async () => {
    const { body } = await open('slack', receiver.url());
    const path = `/notifications/${String(body['id'])}`;
    const changed = await call('PATCH', path, { format: 'discord' });
    expect(changed).toMatchObject({ status: 400, body: { errors: [{ pointer: '/format' }] } });
    expect((await call('PATCH', path, { tags: ['brand'] })).body).toMatchObject({ format: 'slack', tags: ['brand'] });
    expect((await call('POST', `${path}/rotate-secret`)).status).toBe(400);
  });
});

describe('many events at once', () => {
  const flood = async (count: number) => {
    const about = { accountId: account.id, at: notifications.of(Clock).now() };
    const names = Array.from({ length: count }, (_, n) => nameOf(n));
    await notifications.happens(...names.map((name) => anEvent(entryOf(name), about)));
    await notifications.deliverDue();
  };
  const floodTelegram = async (count: number) => {
    receiver.answersWith(200, {}, '{"ok":true}');
    const { body } = await open('telegram', telegram());
    const before = receiver.received.all.length;
    await flood(count);
    return { id: body['id'], texts: () => receiver.received.all.slice(before).map((one) => bodyOf(one)['text']) };
  };

  it('become one Telegram message that lists every domain name', async () => {
    const { id, texts } = await floodTelegram(40);
    const names = Array.from({ length: 40 }, (_, n) => nameOf(n));
    expect(texts()).toEqual([expect.stringMatching(/^name-\d+\.example is now available, and 39 more\n/)]);
    for (const name of names) expect(String(texts()[0])).toContain(name);
    expect(await stateOf(id)).toEqual(
      Array.from({ length: 40 }, () => expect.objectContaining({ state: 'delivered' })),
    );
  });

  it('are sent to PagerDuty one by one', async () => {
    await open('pagerduty', pagerduty());
    const before = receiver.received.all.length;
    await flood(8);
    expect(receiver.received.all.length - before).toBe(8);
  });
});
