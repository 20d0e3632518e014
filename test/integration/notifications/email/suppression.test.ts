import { describe, expect, it } from '@jest/globals';
import { Clock, HOUR, MINUTE } from '../../../../src/kernel/clock.js';
import { SendOwnMails } from '../../../../src/notifications/own-mail/send-own-mails.js';
import { MailCatcher } from '../../../world/mailbox.js';
import { aMailReader, mailVia } from '../../../support/servers/mail-reader.js';
import { running } from '../../../support/running.js';
import { NotificationService } from '../../../support/servers/notification-service.js';

const relay = running(() => MailCatcher.start());
const notifications = running(() =>
  NotificationService.start({ ...mailVia(relay), NOTIFICATIONS_EMAIL_CONFIRMATION: 'false' }),
);

const aReader = (address: string) => aMailReader(notifications, relay, address);
const visit = (method: string, path: string) => notifications.service.call({ method, path, key: null });
const readState = async (channel: string) =>
  (await notifications.rows('select active, reason from notification_channels where id = $1', [channel]))[0];
const path = '/v1/notifications';
const add = async (key: string, target: string) =>
  (await notifications.service.call({ method: 'POST', path, body: { type: 'email', target }, key })).body;
const change = (key: string, id: string, body: object) =>
  notifications.service.call({ method: 'PATCH', path: `${path}/${id}`, key, body });
const remove = (key: string, id: string) =>
  notifications.service.call({ method: 'DELETE', path: `${path}/${id}`, key });
/** Subjects of what arrived since, once everything that may go out has gone out. */
const subjectsSince = async (before: number) => {
  await notifications.deliverDue();
  await notifications.of(SendOwnMails).run();
  return relay.caught.all.slice(before).map(({ parsed }) => parsed.subject);
};
const question = expect.stringMatching(/^\[Namewatch\] Do you want news about domain names at /);
let people = 0;
const aFormerReader = async () => {
  const reader = await aReader(`reader${(people += 1)}@example.com`);
  await visit('POST', reader.path);
  return { ...reader, key: reader.account.key, address: `reader${people}@example.com` };
};

describe('a mailbox that unsubscribed from an account', () => {
  it.each([
    [
      'the channel is switched on again',
      async ({ key, channel }: { key: string; channel: string }) => change(key, channel, { active: true }),
    ],
    [
      'the channel is removed and added again',
      async ({ key, channel, address }: { key: string; channel: string; address: string }) => {
        await remove(key, channel);
        return add(key, address);
      },
    ],
    [
      'its address is added again in capitals',
      async ({ key, address }: { key: string; address: string }) => add(key, address.toUpperCase()),
    ],
    [
      'its address is added again with a +tag',
      async ({ key, address }: { key: string; address: string }) => add(key, address.replace('@', '+new@')),
    ],
  ])('gets only a confirmation mail, and no events, when %s', async (_how, tryAgain) => {
    const reader = await aFormerReader();
    const before = relay.caught.all.length;
    await tryAgain(reader);
    await reader.happens();
    expect(await subjectsSince(before)).toEqual([question]);
  });

  it('gets no test mail, no redelivered mail and no replayed events', async () => {
    const { key, channel, happens } = await aFormerReader();
    const before = relay.caught.all.length;
    await happens();
    const sent = `select id from deliveries where channel_id = $1 and state = 'delivered'`;
    const [delivery] = await notifications.rows(sent, [channel]);
    const post = (rest: string, body?: object) =>
      notifications.service.call({ method: 'POST', path: `/v1/${rest}`, key, ...(body ? { body } : {}) });
    await post(`notifications/${channel}/test`);
    expect((await post(`deliveries/${String(delivery?.['id'])}/redeliver`)).status).toBe(202);
    const now = notifications.of(Clock).now();
    const range = { from: new Date(now.getTime() - HOUR).toJSON(), to: now.toJSON() };
    expect((await post(`notifications/${channel}/replay`, range)).status).toBe(202);
    expect(await subjectsSince(before)).toEqual([]);
  });

  it('gets every channel of that account switched off, however its address is spelled there', async () => {
    const { account, path: link, channel } = await aReader('twin@example.com');
    const twin = String((await add(account.key, 'Twin+work@example.com'))['id']);
    await visit('POST', link);
    for (const id of [channel, twin]) expect(await readState(id)).toEqual({ active: false, reason: 'unsubscribed' });
  });

  it('stays unsubscribed even if its channel was deleted before the link was used', async () => {
    const { account, channel, path: link, happens } = await aReader('late@example.com');
    await remove(account.key, channel);
    expect((await visit('POST', link)).status).toBe(200);
    const before = relay.caught.all.length;
    expect(await add(account.key, 'late@example.com')).toMatchObject({ active: false });
    await happens();
    expect(await subjectsSince(before)).toEqual([question]);
  });

  it('gets that account’s mail again once it confirms, and other accounts’ mail all the time', async () => {
    const { key, channel, address, happens } = await aFormerReader();
    expect((await aReader(address)).mail?.parsed.subject).toMatch(/is now available$/);
    const before = relay.caught.all.length;
    expect((await change(key, channel, { active: true })).body).toMatchObject({ code: 'channel_unconfirmed' });
    await subjectsSince(before);
    const link = /https:\/\/namewatch\.example(\/confirm\/\S+)/.exec(relay.caught.all.at(-1)?.parsed.text ?? '')?.[1];
    expect((await visit('POST', link ?? '')).status).toBe(200);
    notifications.advance(MINUTE); // since the last message there
    await happens();
    expect(await subjectsSince(before)).toEqual([question, '[Namewatch] lapsed.example is now available']);
    expect(await add(key, address.replace('@', '+more@'))).toMatchObject({ active: true });
  });

  it('cannot be confirmed by links that were sent before it unsubscribed again', async () => {
    const { key, channel, address } = await aFormerReader();
    const before = relay.caught.all.length;
    await change(key, channel, { active: true });
    const tagged = await add(key, address.replace('@', '+again@'));
    expect(await subjectsSince(before)).toHaveLength(2);
    const mails = relay.caught.all.slice(before);
    const links = mails.map(({ parsed }) => ({
      confirm: /\.example(\/confirm\/\S+)/.exec(parsed.text ?? '')?.[1] ?? '',
      end: /\.example(\/u\/\S+)/.exec(parsed.text ?? '')?.[1] ?? '',
    }));
    await visit('POST', links[0]?.end ?? '');
    for (const { confirm } of links) expect((await visit('POST', confirm)).status).toBe(410);
    expect(await readState(String(tagged['id']))).toEqual({ active: false, reason: 'unsubscribed' });
  });
});
