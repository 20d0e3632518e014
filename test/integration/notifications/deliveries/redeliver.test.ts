import { beforeEach, describe, expect, it } from '@jest/globals';
import { after, Clock, DAY, HOUR, MINUTE } from '../../../../src/kernel/clock.js';
import { accepted, failed } from '../../../../src/notifications/index.js';
import { running } from '../../../support/running.js';
import { NotificationService } from '../../../support/servers/notification-service.js';
import type { Call } from '../../../support/servers/test-service.js';

const notifications = running(() => NotificationService.start());
let channel: string;
beforeEach(async () => {
  await notifications.rows('delete from notification_channels');
  channel = await notifications.openChannel('receiver');
  notifications.sender.receive = () => accepted(200, 'taken');
});

const call = (method: string, path: string, more: Partial<Call> = {}) =>
  notifications.service.call({ method, path: `/v1/${path}`, ...more });
const list = async (query = '') => (await call('GET', `notifications/${channel}/deliveries${query}`)).body;
const listed = async () => (await list())['data'] as Record<string, unknown>[];
const replay = (body: unknown) => call('POST', `notifications/${channel}/replay`, { body });
const now = () => notifications.of(Clock).now();
const sentIds = () => notifications.sender.sent.all.map(({ event }) => event.id);
const happens = async (many = 1) => {
  const events = Array.from({ length: many }, () => notifications.event());
  await notifications.happens(...events);
  return events;
};

describe('the deliveries of a channel', () => {
  it('are listed with their attempts, newest first', async () => {
    notifications.sender.receive = () => failed('http_error', { responseStatus: 503, responseExcerpt: 'busy' });
    const [first] = await happens();
    await notifications.deliverDue();
    notifications.advance(MINUTE);
    const [second] = await happens();
    const { data, meta } = await list();
    expect(meta).toEqual({ page: 1, per_page: 20, total: 2 });
    expect(data).toMatchObject([
      { event_id: second?.id, state: 'pending', attempts: [] },
      { event_id: first?.id, event_type: 'watchlist.available', channel_id: channel, state: 'pending' },
    ]);
    const [, { attempts, ...delivery }] = data as [unknown, { attempts: object[] }];
    expect(Object.keys(delivery)).toEqual([
      'id',
      'event_id',
      'event_type',
      'entry_id',
      'domain',
      'domain_unicode',
      'status',
      'previous_status',
      'phase',
      'previous_phase',
      'move',
      'threshold_days',
      'kind',
      'due_on',
      'channel_id',
      'channel_label',
      'state',
      'next_attempt_at',
      'created_at',
    ]);
    expect(attempts).toEqual([
      {
        number: 1,
        started_at: expect.stringMatching(/\.\d{3}Z$/),
        duration_ms: expect.any(Number),
        outcome: 'http_error',
        response_status: 503,
        response_excerpt: 'busy',
      },
    ]);
  });

  it('are listed in pages; a page past the end is empty, with the true total', async () => {
    await happens(3);
    const pages = [await list('?per_page=2'), await list('?per_page=2&page=2'), await list('?per_page=2&page=9')];
    expect(pages.map(({ data }) => (data as unknown[]).length)).toEqual([2, 1, 0]);
    expect(pages.map(({ meta }) => (meta as { total: number }).total)).toEqual([3, 3, 3]);
    expect((await call('GET', `notifications/${channel}/deliveries?per_page=101`)).status).toBe(400);
  });
});

describe('a test delivery', () => {
  const test = () => call('POST', `notifications/${channel}/test`);

  it('goes only to the chosen channel, whatever the channel’s filters', async () => {
    await notifications.openChannel('another');
    await call('PATCH', `notifications/${channel}`, { body: { event_types: ['watchlist.expiring'], tags: ['x'] } });
    const { status, body } = await test();
    expect(status).toBe(202);
    expect(body).toMatchObject({ event_type: 'channel.test', channel_id: channel, state: 'pending', attempts: [] });
    expect(await notifications.deliverDue()).toBe(1);
    const sentBody = JSON.parse(notifications.sender.sent.all.at(-1)?.event.body ?? '') as object;
    expect(sentBody).toMatchObject({
      type: 'channel.test',
      data: { channel_id: channel, message: expect.any(String) },
    });
    expect(await listed()).toMatchObject([{ state: 'delivered', attempts: [{ outcome: 'ok' }] }]);
  });

  it('is not retried when it fails, and does not disable the channel', async () => {
    notifications.sender.receive = () => failed('http_error', { responseStatus: 410, final: true });
    await test();
    await notifications.deliverDue();
    notifications.sender.receive = () => failed('connect');
    await test();
    await notifications.deliverDue();
    notifications.advance(5 * DAY);
    expect(await notifications.deliverDue()).toBe(0);
    expect((await listed()).map(({ state }) => state)).toEqual(['failed', 'failed']);
    const [row] = await notifications.rows('select * from notification_channels where id = $1', [channel]);
    expect(row).toMatchObject({ active: true, first_failure_at: null });
  });
});

describe('a delivery that is sent again', () => {
  const redeliver = (id: unknown, key?: string) =>
    call('POST', `deliveries/${String(id)}/redeliver`, key === undefined ? {} : { key });

  it('gets another attempt with the same bytes and event id', async () => {
    const [event] = await happens();
    await notifications.deliverDue();
    const [{ id } = {}] = await listed();
    const { status, body } = await redeliver(id);
    expect(status).toBe(202);
    expect(body).toMatchObject({
      id,
      state: 'pending',
      attempts: [{ number: 1 }],
      next_attempt_at: expect.any(String),
    });
    await notifications.deliverDue();
    expect(await listed()).toMatchObject([{ id, state: 'delivered', attempts: [{ number: 1 }, { number: 2 }] }]);
    const sent = notifications.sender.sent.all.filter((message) => message.event.id === event?.id);
    expect(new Set(sent.map((message) => message.event.body)).size).toBe(1);
    expect(sent).toHaveLength(2);
  });

  it('shows only the last fifty of a thousand attempts', async () => {
    await happens();
    await notifications.deliverDue();
    const [{ id } = {}] = await listed();
    await notifications.rows(
      `insert into delivery_attempts (delivery_id, number, started_at, outcome)
       select $1, n, now(), 'ok' from generate_series(2, 1000) as n`,
      [id],
    );
    const [{ attempts } = {}] = await listed();
    expect((attempts as { number: number }[]).map(({ number }) => number)).toEqual(
      Array.from({ length: 50 }, (_, n) => 951 + n),
    );
  });

  it('starts the retry schedule again if it had failed', async () => {
    notifications.sender.receive = () => failed('connect', { final: true });
    await happens();
    await notifications.deliverDue();
    notifications.sender.receive = () => failed('connect');
    const [{ id } = {}] = await listed();
    await redeliver(id);
    await notifications.deliverDue();
    expect(await listed()).toMatchObject([{ state: 'pending' }]);
  });

  it('is refused with 409 while it is still pending', async () => {
    await happens();
    const [{ id } = {}] = await listed();
    expect(await redeliver(id)).toMatchObject({ status: 409, body: { code: 'delivery_pending' } });
  });
});

describe('a replay of past events', () => {
  it('sends each event of the time range again once, except those still pending', async () => {
    const early = await happens(2);
    await notifications.deliverDue();
    notifications.advance(HOUR);
    const from = now();
    const inside = await happens(3);
    await notifications.deliverDue();
    notifications.advance(MINUTE);
    const pending = await happens(1);
    const before = sentIds().length;
    const { status, body } = await replay({ from: from.toISOString(), to: now().toISOString() });
    expect({ status, body }).toEqual({ status: 202, body: { count: 3 } });
    await notifications.deliverDue();
    expect(sentIds().slice(before).sort()).toEqual([...inside, ...pending].map(({ id }) => id).sort());
    expect(early).toHaveLength(2);
  });

  it('sends the deliveries that were paused while the channel was disabled', async () => {
    await happens(2);
    await call('PATCH', `notifications/${channel}`, { body: { active: false } });
    await call('PATCH', `notifications/${channel}`, { body: { active: true } });
    expect(await notifications.deliverDue()).toBe(0);
    const { body } = await replay({ from: after(now(), -DAY).toISOString(), to: now().toISOString() });
    expect(body).toEqual({ count: 2 });
    expect(await notifications.deliverDue()).toBe(2);
  });

  const lastDay = () => replay({ from: after(now(), -DAY).toISOString(), to: now().toISOString() });

  it.each([
    ['is delivered', () => accepted(200, 'taken')],
    ['fails', () => failed('connect')],
  ])('includes a delivery being sent, and sends it again after its attempt %s', async (_how, receive) => {
    notifications.sender.receive = receive;
    const [event] = await happens();
    const [batch] = await notifications.claim();
    if (!batch) throw new Error('nothing was claimed');
    expect((await lastDay()).body).toEqual({ count: 1 });
    await notifications.deliver(batch);
    expect(await listed()).toMatchObject([{ state: 'pending', attempts: [{ number: 1 }] }]);
    notifications.sender.receive = () => accepted(200, 'taken');
    notifications.advance(1);
    await notifications.deliverDue();
    expect(await listed()).toMatchObject([{ state: 'delivered', attempts: [{ number: 1 }, { number: 2 }] }]);
    expect(sentIds().filter((id) => id === event?.id)).toHaveLength(2);
  });

  it('does not count a delivery that is already being redelivered', async () => {
    await happens(2);
    await notifications.deliverDue();
    const [{ id } = {}] = await listed();
    await call('POST', `deliveries/${String(id)}/redeliver`);
    expect((await lastDay()).body).toEqual({ count: 1 });
    expect(await notifications.deliverDue()).toBe(2);
  });

  it.each([
    [{ from: '2026-11-01T00:00:00Z', to: '2026-11-15T00:00:00.001Z' }, '/to'],
    [{ from: '2026-11-02T00:00:00Z', to: '2026-11-01T00:00:00Z' }, '/to'],
    [{ from: '2026-11-01T00:00:00Z' }, '/to'],
    [{ from: '2026-11-01', to: '2026-11-02T00:00:00Z' }, '/from'],
    [{ from: '2026-11-01T00:00:00', to: '2026-11-02T00:00:00Z' }, '/from'],
    [{ from: '2026-02-30T00:00:00Z', to: '2026-03-02T00:00:00Z' }, '/from'],
    [{ from: 5, to: '2026-03-02T00:00:00Z' }, '/from'],
  ])('is refused for this time range: %j', async (range, pointer) => {
    expect(await replay(range)).toMatchObject({ status: 400, body: { errors: [{ pointer }] } });
  });

  it('is refused for more than ten thousand deliveries, and nothing is sent', async () => {
    const [event] = await happens();
    await notifications.deliverDue();
    await notifications.rows(
      `with copies as (
         insert into events (id, account_id, type, body, created_at)
         select id || n, account_id, type, body, created_at from events, generate_series(1, 10000) as n
         where id = $1 returning id, created_at)
       insert into deliveries (id, event_id, channel_id, state, created_at)
       select 'dl' || id, id, $2, 'delivered', created_at from copies`,
      [event?.id, channel],
    );
    expect(await lastDay()).toMatchObject({ status: 400, body: { errors: [{ pointer: '/to' }] } });
    expect(await notifications.claim()).toEqual([]);
    // Not even written and rolled back: xmax would be the transaction that did.
    const written = `select 1 from deliveries where event_id <> $1 and xmax::text <> '0' limit 1`;
    expect(await notifications.rows(written, [event?.id])).toEqual([]);
  });
});
