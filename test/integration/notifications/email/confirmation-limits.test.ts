import { describe, expect, it } from '@jest/globals';
import { DAY, HOUR, MINUTE } from '../../../../src/kernel/clock.js';
import { SendOwnMails } from '../../../../src/notifications/own-mail/send-own-mails.js';
import { MailCatcher } from '../../../world/mailbox.js';
import { mailVia } from '../../../support/servers/mail-reader.js';
import { running } from '../../../support/running.js';
import { NotificationService } from '../../../support/servers/notification-service.js';

const relay = running(() => MailCatcher.start());
const notifications = running(() => NotificationService.start({ ...mailVia(relay) }));

let people = 0;
const aPerson = () => `person${(people += 1)}@example.com`;
const anAccount = () => notifications.service.openAccount();
const call = (key: string, method: string, id: string, body?: object) =>
  notifications.service.call({ method, path: `/v1/notifications${id && '/'}${id}`, key, ...(body ? { body } : {}) });
const add = async (key: string, target: string) => (await call(key, 'POST', '', { type: 'email', target })).body;

describe('an email address', () => {
  it('gets three confirmation mails a day at most, across accounts and spellings of the address', async () => {
    const [local, domain] = aPerson().split('@');
    const spellings = [`${local}@${domain}`, `${local}+1@${domain}`, `${local?.toUpperCase()}@${domain}`];
    const keys = await Promise.all(Array.from({ length: 10 }, async () => (await anAccount()).key));
    const asked = keys.flatMap((key) => spellings.map((target) => ({ key, target })));
    const opened = await Promise.all(asked.map(({ key, target }) => add(key, target)));
    expect(opened.map(({ active }) => active)).toEqual(asked.map(() => false));
    await notifications.of(SendOwnMails).run();
    const sent = () => relay.caught.all.filter(({ to }) => to[0]?.toLowerCase().startsWith(`${local}`) === true);
    expect(sent()).toHaveLength(3);
    notifications.advance(DAY);
    await add((await anAccount()).key, `${local}@${domain}`);
    await notifications.of(SendOwnMails).run();
    expect(sent()).toHaveLength(4);
  });

  it('gets no confirmation mail for a rejected change of its channel', async () => {
    const [{ key }, address] = [await anAccount(), aPerson()];
    const { id } = await add(key, address);
    await notifications.of(SendOwnMails).run();
    const change = { active: true, headers: { 'x-token': 'emails carry none' } };
    expect((await call(key, 'PATCH', String(id), change)).status).toBe(400);
    await notifications.of(SendOwnMails).run();
    expect(relay.caught.all.filter(({ to }) => to.includes(address))).toHaveLength(1);
  });

  it('gets at most three mails a day when its channel is repeatedly added or enabled', async () => {
    const [{ key }, address] = [await anAccount(), aPerson()];
    for (let n = 0; n < 10; n += 1) {
      const { id } = await add(key, address);
      expect((await call(key, 'PATCH', String(id), { active: true })).status).toBe(409);
      await call(key, 'DELETE', String(id));
    }
    await add((await anAccount()).key, address);
    await notifications.of(SendOwnMails).run();
    expect(relay.caught.all.filter(({ to }) => to.includes(address)).length).toBeLessThanOrEqual(3);
  });
});

describe('an account', () => {
  it('sends at most ten confirmation mails an hour and twenty a day; the others wait', async () => {
    const { key } = await anAccount();
    const before = relay.caught.all.length;
    const addresses = Array.from({ length: 48 }, aPerson);
    const asked = async (many: number) => {
      for (const address of addresses.splice(0, many)) await add(key, address);
      await notifications.of(SendOwnMails).run();
      return relay.caught.all.length - before;
    };
    expect(await asked(12)).toBe(10);
    notifications.advance(HOUR + MINUTE);
    expect(await asked(0)).toBe(12);
    expect(await asked(12)).toBe(20);
    notifications.advance(HOUR + MINUTE);
    expect(await asked(12)).toBe(20);
    notifications.advance(DAY - 2 * HOUR);
    expect(await asked(0)).toBe(30);
    notifications.advance(DAY);
    expect(await asked(0)).toBe(36);
  });
});
