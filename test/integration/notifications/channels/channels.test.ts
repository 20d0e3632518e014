import { afterEach, describe, expect, it } from '@jest/globals';
import { Clock } from '../../../../src/kernel/clock.js';
import { SecretBox } from '../../../../src/platform/crypto/secret-box.js';
import { anEvent } from '../../../support/builders/notification-events.js';
import { running } from '../../../support/running.js';
import { NotificationService } from '../../../support/servers/notification-service.js';
import type { Answer } from '../../../support/servers/test-service.js';

const notifications = running(() => NotificationService.start());
afterEach(() => notifications.rows('delete from notification_channels'));

const HOOK = { type: 'webhook', target: 'https://hooks.example.test/namewatch' };

interface Account {
  readonly id: string;
  readonly key: string;
}
const call = ({ key }: Account, method: string, path: string, body?: unknown): Promise<Answer> =>
  notifications.service.call({ method, path: `/v1/notifications${path}`, key, body });
const post = (account: Account, body: unknown) => call(account, 'POST', '', body);
const list = (account: Account) => call(account, 'GET', '');
const add = async (account: Account, body: object = HOOK) => String((await post(account, body)).body['id']);
const anAccount = (plan?: string): Promise<Account> => notifications.service.openAccount(plan);
const readChannels = (account: Account) =>
  notifications.rows('select * from notification_channels where account_id = $1', [account.id]);
const readStates = async (channel: string) =>
  (await notifications.rows('select state from deliveries where channel_id = $1', [channel])).map(({ state }) => state);

describe('adding a channel', () => {
  it('returns exactly the fields of a webhook, with its secret and a Location header', async () => {
    const { status, headers, body } = await post(await anAccount(), HOOK);
    expect(status).toBe(201);
    expect(Object.keys(body)).toEqual(['id', 'type', 'target', 'active', 'secret']);
    expect(body).toMatchObject({ ...HOOK, active: true });
    expect(body['id']).toMatch(/^nc_[0-9a-z]{26}$/);
    expect(Buffer.from(String(body['secret']).replace(/^whsec_/, ''), 'base64')).toHaveLength(32);
    expect(headers['location']).toBe(`/v1/notifications/${String(body['id'])}`);
  });

  it('returns an email channel without a secret, and inactive if no mail relay is configured', async () => {
    const { status, body } = await post(await anAccount(), { type: 'email', target: ' Ada@Example.COM ' });
    expect(status).toBe(201);
    expect(body).toEqual({ id: body['id'], type: 'email', target: 'Ada@Example.COM', active: false });
  });

  it('stores the secret encrypted for this channel only, and never lists it', async () => {
    const account = await anAccount();
    const { id, secret } = (await post(account, HOOK)).body as { id: string; secret: string };
    const [row] = await readChannels(account);
    const sealed = String(row?.['sealed_secret']);
    expect(JSON.stringify(row)).not.toContain(secret.slice(6));
    expect(sealed).toMatch(/^[0-9a-f]{8}\.[\w-]+$/);
    const box = notifications.of(SecretBox);
    expect(box.open(sealed, `notification channel ${id}`)).toBe(secret);
    expect(() => box.open(sealed, 'notification channel nc_another')).toThrow();
    expect(JSON.stringify((await list(account)).body)).not.toContain('whsec_');
  });

  it('rejects a second channel for the same target in any spelling, with the id of the first', async () => {
    const account = await anAccount();
    const { id } = (await post(account, HOOK)).body;
    const again = await post(account, { type: 'webhook', target: 'HTTPS://HOOKS.example.test:443/namewatch#x' });
    expect(again).toMatchObject({ status: 409, body: { code: 'already_notified', id } });
    expect((await post(await anAccount(), HOOK)).status).toBe(201); // another account may
  });

  it('refuses a label that another channel of the account has, ignoring upper and lower case', async () => {
    const account = await anAccount();
    const { id, label } = (await post(account, { ...HOOK, label: 'Shop team' })).body;
    expect(label).toBe('Shop team');
    const other = { ...HOOK, target: `${HOOK.target}/other` };
    const refused = await post(account, { ...other, label: 'SHOP team' });
    expect(refused).toMatchObject({ status: 409, body: { code: 'label_taken', id } });
    const second = await add(account, other);
    expect((await call(account, 'PATCH', `/${second}`, { label: 'shop TEAM' })).status).toBe(409);
    expect((await call(account, 'PATCH', `/${String(id)}`, { label: 'SHOP TEAM' })).body['label']).toBe('SHOP TEAM');
    expect((await call(account, 'PATCH', `/${String(id)}`, { label: null })).body['label']).toBeNull();
    expect((await call(account, 'PATCH', `/${second}`, { label: 'Shop team' })).status).toBe(200);
    expect((await post(await anAccount(), { ...HOOK, label: 'Shop team' })).status).toBe(201);
  });

  it('gives a label to only one of several concurrent requests', async () => {
    const account = await anAccount();
    const targets = Array.from({ length: 8 }, (_, n) => ({ ...HOOK, target: `${HOOK.target}/${n}`, label: 'Shop' }));
    const answers = await Promise.all(targets.map((body) => post(account, body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(409)]);
  });

  it.each(['', ' Shop', 'Shop ', 'a\nb', 'a\u0000', '\ud800', 'x'.repeat(61), 7])(
    'refuses the label %j',
    async (label) => {
      expect((await post(await anAccount(), { ...HOOK, label })).status).toBe(400);
    },
  );

  it('sets fields that the list shows only with expand=details', async () => {
    const account = await anAccount();
    await add(account, { ...HOOK, label: 'Shop team' });
    const { body } = await call(account, 'GET', '?expand=details');
    expect(body['data']).toMatchObject([{ ...HOOK, details: { label: 'Shop team', waiting: null, summary: null } }]);
    const [listed] = (await list(account)).body['data'] as object[];
    expect(Object.keys(listed ?? {})).toEqual(['id', 'type', 'target', 'active']);
    expect((await call(account, 'GET', '?expand=all')).status).toBe(400);
  });

  it('answers 403 at the plan’s limit, but 409 for a target that already has a channel', async () => {
    const account = await anAccount('free');
    for (const path of ['a', 'b']) await post(account, { ...HOOK, target: `${HOOK.target}/${path}` });
    const third = await post(account, { ...HOOK, target: `${HOOK.target}/c` });
    expect(third).toMatchObject({ status: 403, body: { code: 'plan_limit_reached', limit: 2 } });
    expect((await post(account, { ...HOOK, target: `${HOOK.target}/a` })).status).toBe(409);
    expect(await readChannels(account)).toHaveLength(2);
  });

  it('creates only as many channels as the plan allows, with concurrent requests too', async () => {
    const account = await anAccount('free');
    const at = (n: number) => post(account, { ...HOOK, target: `${HOOK.target}/${n}` });
    const statuses = (await Promise.all(Array.from({ length: 12 }, (_, n) => at(n)))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(2);
    expect(statuses.filter((status) => status === 403)).toHaveLength(10);
  });

  it('creates one channel for concurrent requests with the same target', async () => {
    const account = await anAccount();
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(account, HOOK)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(409)]);
    const [row] = await readChannels(account);
    for (const { status, body } of answers) if (status === 409) expect(body['id']).toBe(row?.['id']);
  });
});

describe('the list of channels', () => {
  it('shows exactly id, type, target and active of the account’s own channels, oldest first', async () => {
    const account = await anAccount();
    expect((await list(account)).body).toEqual({ data: [] });
    const first = (await post(account, HOOK)).body;
    const second = (await post(account, { type: 'email', target: 'ada@example.com' })).body;
    const { status, body } = await list(account);
    expect(status).toBe(200);
    const shown = { ...HOOK, id: first['id'], active: true };
    expect(body).toEqual({
      data: [shown, { id: second['id'], type: 'email', target: 'ada@example.com', active: false }],
    });
    expect((await list(await anAccount())).body).toEqual({ data: [] });
  });
});

describe('a channel', () => {
  it('shows its filters, the names of its headers, and when it was created', async () => {
    const account = await anAccount();
    const settings = { event_types: ['watchlist.*'], tags: ['brand'], headers: { 'X-Token': 's3cret', 'x-a': 'b' } };
    const id = await add(account, { ...HOOK, ...settings });
    const { status, body } = await call(account, 'GET', `/${id}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      id,
      ...HOOK,
      label: null,
      waiting: null,
      summary: null,
      next_summary_at: null,
      active: true,
      event_types: ['watchlist.*'],
      tags: ['brand'],
      headers: ['x-a', 'x-token'],
      format: null,
      reason: null,
      reason_detail: null,
      disabled_at: null,
      created_at: body['created_at'],
    });
    expect(body['created_at']).toMatch(/^2\d{3}-.*\.\d{3}Z$/);
  });

  it('stores the values of its headers encrypted', async () => {
    const account = await anAccount();
    const id = await add(account, { ...HOOK, headers: { 'x-token': 's3cret' } });
    const [row] = await notifications.rows('select * from notification_channels where id = $1', [id]);
    expect(JSON.stringify(row)).not.toContain('s3cret');
    expect(row?.['headers']).toEqual({ 'x-token': expect.stringMatching(/^[0-9a-f]{8}\.[\w-]+$/) });
  });

  it.each([
    [{ event_types: ['watchlist.gone'] }, '/event_types'],
    [{ tags: ['a\0b'] }, '/tags/0'],
    [{ headers: { host: 'evil' } }, '/headers/host'],
    [{ type: 'email', target: 'ada@example.com', headers: { 'x-a': 'b' } }, '/headers'],
  ])('is refused with these settings: %j', async (wish, pointer) => {
    const { status, body } = await call(await anAccount(), 'POST', '', { ...HOOK, ...wish });
    expect({ status, body }).toMatchObject({ status: 400, body: { code: 'invalid_request', errors: [{ pointer }] } });
  });
});

describe('changing a channel', () => {
  it('updates the given fields and leaves the others', async () => {
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
    [{ headers: { 'webhook-id': 'x' } }, '/headers/webhook-id'],
  ])('is refused for this change: %j', async (change, pointer) => {
    const account = await anAccount();
    const answer = await call(account, 'PATCH', `/${await add(account)}`, change);
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer }] } });
  });

  it('pauses pending deliveries when it disables the channel, and delivers new events once enabled again', async () => {
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

  it('can enable a channel that was disabled by a 410 answer', async () => {
    const account = await anAccount();
    const id = await add(account);
    await notifications.rows(`update notification_channels set active = false, reason = 'gone' where id = $1`, [id]);
    const { body } = await call(account, 'PATCH', `/${id}`, { active: true });
    expect(body).toMatchObject({ active: true, reason: null });
  });
});

describe('removing a channel', () => {
  it('deletes the deliveries of the channel, even those being sent', async () => {
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
