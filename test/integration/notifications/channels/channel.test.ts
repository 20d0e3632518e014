import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Clock } from '../../../../src/kernel/clock.js';
import { newId } from '../../../../src/kernel/identifier.js';
import { anEvent } from '../../../support/builders/notification-events.js';
import { NotificationService } from '../../../support/servers/notification-service.js';
import type { Answer } from '../../../support/servers/test-service.js';

let notifications: NotificationService;
beforeAll(async () => {
  notifications = await NotificationService.start();
});
afterEach(() => notifications.rows('delete from notification_channels'));
afterAll(() => notifications.close());

const HOOK = { type: 'webhook', target: 'https://hooks.example.test/namewatch' };
interface Account {
  readonly id: string;
  readonly key: string;
}
const anAccount = (): Promise<Account> => notifications.service.openAccount();
const call = ({ key }: Account, method: string, path: string, body?: unknown): Promise<Answer> =>
  notifications.service.call({
    method,
    path: `/v1/notifications${path}`,
    key,
    ...(body === undefined ? {} : { body }),
  });
const add = async (account: Account, body: object = HOOK): Promise<string> =>
  String((await call(account, 'POST', '', body)).body['id']);
const readStates = async (channel: string) =>
  (await notifications.rows('select state from deliveries where channel_id = $1', [channel])).map(({ state }) => state);

describe('a channel', () => {
  it('shows its filters, the names of its headers, and when it was created', async () => {
    const account = await anAccount();
    const settings = { event_types: ['watchlist.*'], tags: ['brand'], headers: { 'X-Token': 's3cret', 'x-a': 'b' } };
    const id = await add(account, { ...HOOK, ...settings });
    const { status, body } = await call(account, 'GET', `/${id}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...{ id, ...HOOK, active: true, event_types: ['watchlist.*'], tags: ['brand'], headers: ['x-a', 'x-token'] },
      ...{ format: null, reason: null, disabled_at: null, created_at: body['created_at'] },
    });
    expect(body['created_at']).toMatch(/^2\d{3}-.*\.\d{3}Z$/);
  });

  it('keeps the values of its headers sealed', async () => {
    const account = await anAccount();
    const id = await add(account, { ...HOOK, headers: { 'x-token': 's3cret' } });
    const [row] = await notifications.rows('select * from notification_channels where id = $1', [id]);
    expect(JSON.stringify(row)).not.toContain('s3cret');
    expect(row?.['headers']).toEqual({ 'x-token': expect.stringMatching(/^[0-9a-f]{8}\.[\w-]+$/) });
  });

  it.each([
    [{ event_types: ['watchlist.gone'] }, '/event_types'],
    [{ event_types: 'watchlist.*' }, '/event_types'],
    [{ tags: [''] }, '/tags'],
    [{ tags: ['a\0b'] }, '/tags/0'],
    [{ tags: [5] }, '/tags'],
    [{ tags: Array.from({ length: 21 }, String) }, '/tags'],
    [{ headers: ['x'] }, '/headers'],
    [{ headers: { host: 'evil' } }, '/headers/host'],
    [{ headers: { 'x-a': 'b\r\nc' } }, '/headers/x-a'],
    [{ type: 'email', target: 'ada@example.com', headers: { 'x-a': 'b' } }, '/headers'],
  ])('is refused with %j', async (wish, pointer) => {
    const { status, body } = await call(await anAccount(), 'POST', '', { ...HOOK, ...wish });
    expect({ status, body }).toMatchObject({ status: 400, body: { code: 'invalid_request', errors: [{ pointer }] } });
  });

  it.each(['GET', 'PATCH', 'DELETE'])('is not there for %s by another account, or with a wrong id', async (method) => {
    const id = await add(await anAccount());
    const stranger = await anAccount();
    for (const path of [id, newId('nc'), id.toUpperCase(), newId('wl'), 'nc_1', '%00']) {
      const answer = await call(stranger, method, `/${path}`, method === 'PATCH' ? { unknown: 1 } : undefined);
      expect([path, answer.status, answer.body['code']]).toEqual([path, 404, 'not_found']);
    }
  });
});

describe('changing a channel', () => {
  it('changes the given fields and leaves the rest', async () => {
    const account = await anAccount();
    const id = await add(account, { ...HOOK, tags: ['brand'], headers: { 'x-a': '1', 'x-b': '2' } });
    const change = { event_types: ['watchlist.available'], headers: { 'X-B': null, 'x-c': '3' } };
    const { status, body } = await call(account, 'PATCH', `/${id}`, change);
    expect(status).toBe(200);
    expect(body).toMatchObject({ event_types: ['watchlist.available'], tags: ['brand'], headers: ['x-a', 'x-c'] });
    const cleared = await call(account, 'PATCH', `/${id}`, { event_types: null, tags: null, headers: null });
    expect(cleared.body).toMatchObject({ event_types: [], tags: [], headers: [], active: true });
    expect((await call(account, 'PATCH', `/${id}`, {})).body).toEqual(cleared.body);
  });

  it.each([
    [{ target: 'https://elsewhere.example.test/' }, '/target'],
    [{ type: 'email' }, '/type'],
    [{ active: null }, '/active'],
    [{ active: 'yes' }, '/active'],
    [{ secret: 'whsec_x' }, '/secret'],
    [{ headers: { 'webhook-id': 'x' } }, '/headers/webhook-id'],
  ])('does not take %j', async (change, pointer) => {
    const account = await anAccount();
    const answer = await call(account, 'PATCH', `/${await add(account)}`, change);
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer }] } });
  });

  it('disables: pauses what is pending, and gets events again once enabled', async () => {
    const account = await anAccount();
    const id = await add(account, { type: 'scripted', target: 'switched' });
    const happens = () => notifications.happens(anEvent({}, { accountId: account.id }));
    await happens();
    const off = await call(account, 'PATCH', `/${id}`, { active: false });
    expect(off.body).toMatchObject({ active: false, reason: 'switched_off', disabled_at: expect.any(String) });
    await happens();
    expect(await readStates(id)).toEqual(['paused']);
    const on = await call(account, 'PATCH', `/${id}`, { active: true });
    expect(on.body).toMatchObject({ active: true, reason: null, disabled_at: null });
    await happens();
    expect((await readStates(id)).sort()).toEqual(['paused', 'pending']);
  });

  it('enables a channel again that 410 disabled', async () => {
    const account = await anAccount();
    const id = await add(account);
    await notifications.rows(`update notification_channels set active = false, reason = 'gone' where id = $1`, [id]);
    const { body } = await call(account, 'PATCH', `/${id}`, { active: true });
    expect(body).toMatchObject({ active: true, reason: null });
  });
});

describe('removing a channel', () => {
  it('deletes its deliveries too', async () => {
    const account = await anAccount();
    const id = await add(account, { type: 'scripted', target: 'removed' });
    await notifications.happens(anEvent({}, { accountId: account.id, at: notifications.of(Clock).now() }));
    const claims = await notifications.claim();
    expect(claims).toHaveLength(1);
    const answer = await call(account, 'DELETE', `/${id}`);
    expect(answer).toMatchObject({ status: 204, body: { text: '' } });
    expect((await call(account, 'DELETE', `/${id}`)).status).toBe(404);
    for (const claim of claims) await notifications.deliver(claim); // an attempt in progress ends all the same
    expect(await readStates(id)).toEqual([]);
    expect((await call(account, 'POST', '', { type: 'scripted', target: 'removed' })).status).toBe(201);
  });
});
