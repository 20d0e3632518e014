import { describe, expect, it } from '@jest/globals';
import { Clock, DAY, HOUR, MINUTE } from '../../../../src/kernel/clock.js';
import { SendOwnMails } from '../../../../src/notifications/own-mail/send-own-mails.js';
import { type CaughtMail, MailCatcher } from '../../../world/mailbox.js';
import { anEvent } from '../../../support/builders/notification-events.js';
import { mailVia } from '../../../support/servers/mail-reader.js';
import { running } from '../../../support/running.js';
import { NotificationService } from '../../../support/servers/notification-service.js';

const relay = running(() => MailCatcher.start());
const notifications = running(() => NotificationService.start({ ...mailVia(relay) }));

let people = 0;
const aPerson = () => `person${(people += 1)}@example.com`;
const anAccount = () => notifications.service.openAccount();
const add = async (key: string, target: string) => {
  const body = { type: 'email', target };
  return (await notifications.service.call({ method: 'POST', path: '/v1/notifications', body, key })).body;
};
const call = (key: string, method: string, id: string, body?: object) =>
  notifications.service.call({ method, path: `/v1/notifications/${id}`, key, ...(body ? { body } : {}) });
const readReason = async (key: string, id: string) => {
  const { active, reason } = (await call(key, 'GET', id)).body;
  return { active, reason };
};
/** Sends waiting mails, and gives the mails that have arrived at an address by now. */
const mailsTo = async (address: string) => {
  await notifications.of(SendOwnMails).run();
  return relay.caught.all.filter(({ to }) => to.includes(address));
};
const linkIn = (mail: CaughtMail | undefined) => {
  const [, path = ''] = /https:\/\/namewatch\.example(\/confirm\/\S+)/.exec(mail?.parsed.text ?? '') ?? [];
  return path;
};
const visit = (method: string, path: string, headers: Record<string, string> = {}) =>
  notifications.service.call({ method, path, key: null, headers });
/** A channel that waits for its address, and the link that its address got. */
const anUnconfirmed = async () => {
  const [{ key, id: accountId }, address] = [await anAccount(), aPerson()];
  const { id } = await add(key, address);
  const [mail] = await mailsTo(address);
  return { key, accountId, address, id: String(id), mail, path: linkIn(mail) };
};

describe('a new email channel', () => {
  it('is inactive, and its address gets one confirmation mail with a link', async () => {
    const { key, id, address, mail, path } = await anUnconfirmed();
    expect(await readReason(key, id)).toEqual({ active: false, reason: 'unconfirmed' });
    expect(mail).toMatchObject({ from: 'alerts@namewatch.example', to: [address] });
    expect(mail?.parsed.subject).toBe(`[Namewatch] Do you want news about domain names at ${address}?`);
    expect(mail?.parsed.messageId).toMatch(/^<question\.[0-9a-f-]{36}@namewatch\.example>$/);
    expect(mail?.parsed.html).toContain(`href="https://namewatch.example${path}"`);
    expect(mail?.raw).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(await mailsTo(address)).toHaveLength(1);
  });

  it('gets nothing, not even a test, before its address is confirmed', async () => {
    const { key, accountId, id, address } = await anUnconfirmed();
    await notifications.happens(anEvent({}, { accountId, at: notifications.of(Clock).now() }));
    await notifications.service.call({ method: 'POST', path: `/v1/notifications/${id}/test`, key });
    await notifications.deliverDue();
    expect(await mailsTo(address)).toHaveLength(1);
    const rows = await notifications.rows('select state from deliveries where channel_id = $1', [id]);
    expect(rows).toEqual([{ state: 'paused' }]);
  });
});

describe('the confirmation link', () => {
  it('confirms nothing when it is only opened (GET), as mail scanners do', async () => {
    const { key, id, path } = await anUnconfirmed();
    const page = await visit('GET', path);
    expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
    expect(page.body['text']).toContain('<form method="post"><button>Yes, send them to me</button>');
    expect(await readReason(key, id)).toEqual({ active: false, reason: 'unconfirmed' });
  });

  it('confirms the address through its button (POST), and events are sent from then on', async () => {
    const { key, accountId, id, address, path } = await anUnconfirmed();
    for (const _time of [1, 2]) {
      const agreed = await visit('POST', path, { 'content-type': 'application/x-www-form-urlencoded' });
      expect([agreed.status, String(agreed.body['text'])]).toEqual([
        200,
        expect.stringContaining('Your address is confirmed'),
      ]);
    }
    expect(await readReason(key, id)).toEqual({ active: true, reason: null });
    const recorded = `select actor_type, state_after from audit_records where action = 'channel.confirmed' and target_id = $1`;
    expect(await notifications.rows(recorded, [id])).toEqual([{ actor_type: 'recipient', state_after: null }]);
    const added = `select state_after from audit_records where action = 'channel.added' and target_id = $1`;
    expect(JSON.parse(String((await notifications.rows(added, [id]))[0]?.['state_after']))).toMatchObject({
      type: 'email',
      target: '…@example.com',
      active: false,
      reason: 'unconfirmed',
    });
    await notifications.happens(anEvent({}, { accountId, at: notifications.of(Clock).now() }));
    await notifications.deliverDue();
    expect((await mailsTo(address)).at(-1)?.parsed.subject).toBe('[Namewatch] lapsed.example is now available');
  });

  it('expires after a day', async () => {
    const { key, id, path } = await anUnconfirmed();
    notifications.advance(DAY);
    const late = await visit('POST', path);
    expect(late).toMatchObject({ status: 410, body: { code: 'link_expired' } });
    const page = await visit('POST', path, { accept: 'text/html' });
    expect([page.status, page.headers['content-type']]).toEqual([410, 'text/html; charset=utf-8']);
    expect(await readReason(key, id)).toEqual({ active: false, reason: 'unconfirmed' });
  });

  it('is valid for one channel only, and not for unsubscribing', async () => {
    const [one, other] = [await anUnconfirmed(), await anUnconfirmed()];
    await visit('POST', one.path);
    expect(await readReason(other.key, other.id)).toEqual({ active: false, reason: 'unconfirmed' });
    expect((await visit('POST', one.path.replace('/confirm/', '/u/'))).status).toBe(404);
    expect((await visit('POST', `${one.path.slice(0, -1)}`)).status).toBe(404);
  });

  it('is invalid after the channel is removed or the old confirmation is purged', async () => {
    const { key, id, path } = await anUnconfirmed();
    await call(key, 'DELETE', id);
    expect((await visit('POST', path)).status).toBe(410);
    const old = await anUnconfirmed();
    notifications.advance(3 * DAY);
    await notifications.of(SendOwnMails).purge();
    expect((await visit('POST', old.path)).status).toBe(410);
  });
});

describe('enabling an unconfirmed channel', () => {
  it('is rejected, changes nothing else, and sends another confirmation mail', async () => {
    const { key, id, address } = await anUnconfirmed();
    const { status, body } = await call(key, 'PATCH', id, { active: true, tags: ['brand'] });
    expect({ status, code: body['code'] }).toEqual({ status: 409, code: 'channel_unconfirmed' });
    expect((await call(key, 'GET', id)).body).toMatchObject({ active: false, reason: 'unconfirmed', tags: [] });
    const mails = await mailsTo(address);
    expect(mails).toHaveLength(2);
    expect((await visit('POST', linkIn(mails[0]))).status).toBe(200);
    expect(await readReason(key, id)).toEqual({ active: true, reason: null });
    expect((await call(key, 'PATCH', id, { active: true })).status).toBe(200);
  });

  it('is up to the account after confirmation, if the account had switched the channel off', async () => {
    const { key, id, path } = await anUnconfirmed();
    await call(key, 'PATCH', id, { active: false });
    await visit('POST', path);
    expect(await readReason(key, id)).toEqual({ active: false, reason: 'switched_off' });
    expect((await call(key, 'PATCH', id, { active: true })).body).toMatchObject({ active: true, reason: null });
  });
});

describe('a confirmation mail', () => {
  it('is retried later, with a working link, when the mail relay refuses it for now', async () => {
    const [{ key }, address] = [await anAccount(), aPerson()];
    relay.refusals = { rcptTo: { code: 450, text: 'greylisted' } };
    await add(key, address);
    expect(await mailsTo(address)).toEqual([]);
    relay.refusals = {};
    expect(await mailsTo(address)).toEqual([]);
    notifications.advance(2 * MINUTE);
    const [mail] = await mailsTo(address);
    expect((await visit('POST', linkIn(mail))).status).toBe(200);
  });

  it('is sent only after a new request when it was not sent within a day', async () => {
    const [{ key }, address] = [await anAccount(), aPerson()];
    const { id } = await add(key, address);
    notifications.advance(DAY);
    expect(await mailsTo(address)).toEqual([]);
    for (const _time of [1, 2]) await call(key, 'PATCH', String(id), { active: true });
    const [mail, ...more] = await mailsTo(address);
    expect([more, (await visit('POST', linkIn(mail))).status]).toEqual([[], 200]);
  });

  it('is not retried when the address does not exist', async () => {
    const [{ key }, address] = [await anAccount(), aPerson()];
    relay.refusals = { rcptTo: { code: 550, text: 'no such user' } };
    await add(key, address);
    expect(await mailsTo(address)).toEqual([]);
    relay.refusals = {};
    notifications.advance(HOUR);
    expect(await mailsTo(address)).toEqual([]);
  });

  it('is sent only once when five workers run at the same time', async () => {
    const [{ key }, address] = [await anAccount(), aPerson()];
    await add(key, address);
    await Promise.all(Array.from({ length: 5 }, () => notifications.of(SendOwnMails).run()));
    expect(await mailsTo(address)).toHaveLength(1);
  });
});
