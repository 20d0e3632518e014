import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DAY, HOUR, MINUTE } from '../../../src/kernel/clock.js';
import { MailQuestions } from '../../../src/notifications/application/mail-questions.js';
import { MailCatcher } from '../../support/mail-catcher.js';
import { NotificationService } from '../../support/notification-service.js';

let relay: MailCatcher;
let notifications: NotificationService;
beforeAll(async () => {
  relay = await MailCatcher.start();
  notifications = await NotificationService.start({
    NOTIFICATIONS_EMAIL_CONFIRMATION: 'true',
    PUBLIC_URL: 'https://namewatch.example',
    SMTP_URL: relay.url,
    MAIL_FROM: 'alerts@namewatch.example',
  });
});
afterAll(async () => {
  await notifications.close();
  await relay.close();
});

let people = 0;
const aPerson = () => `person${(people += 1)}@example.com`;
const anAccount = () => notifications.service.openAccount();
const call = (key: string, method: string, id: string, body?: object) =>
  notifications.service.call({ method, path: `/v1/notifications${id && '/'}${id}`, key, ...(body ? { body } : {}) });
const add = async (key: string, target: string) => (await call(key, 'POST', '', { type: 'email', target })).body;

describe('an address', () => {
  it('is asked three times a day at most, however many accounts ask and however they spell it', async () => {
    const [local, domain] = aPerson().split('@');
    const spellings = [`${local}@${domain}`, `${local}+1@${domain}`, `${local?.toUpperCase()}@${domain}`];
    const keys = await Promise.all(Array.from({ length: 10 }, async () => (await anAccount()).key));
    const asked = keys.flatMap((key) => spellings.map((target) => ({ key, target })));
    const opened = await Promise.all(asked.map(({ key, target }) => add(key, target)));
    expect(opened.map(({ active }) => active)).toEqual(asked.map(() => false));
    await notifications.of(MailQuestions).run();
    const sent = () => relay.caught.all.filter(({ to }) => to[0]?.toLowerCase().startsWith(`${local}`) === true);
    expect(sent()).toHaveLength(3);
    notifications.advance(DAY);
    await add((await anAccount()).key, `${local}@${domain}`);
    await notifications.of(MailQuestions).run();
    expect(sent()).toHaveLength(4);
  });

  it('is not asked by a change that is refused', async () => {
    const [{ key }, address] = [await anAccount(), aPerson()];
    const { id } = await add(key, address);
    await notifications.of(MailQuestions).run();
    const change = { active: true, headers: { 'x-token': 'emails carry none' } };
    expect((await call(key, 'PATCH', String(id), change)).status).toBe(400);
    await notifications.of(MailQuestions).run();
    expect(relay.caught.all.filter(({ to }) => to.includes(address))).toHaveLength(1);
  });

  it('is asked no more than that by a thousand channels', async () => {
    const accounts = await Promise.all(Array.from({ length: 20 }, anAccount));
    const [local, domain] = aPerson().split('@');
    const addFifty = async ({ key }: { key: string }) => {
      for (let n = 0; n < 50; n += 1) expect(await add(key, `${local}+${n}@${domain}`)).toHaveProperty('id');
    };
    await Promise.all(accounts.map(addFifty));
    await notifications.of(MailQuestions).run();
    expect(relay.caught.all.filter(({ to }) => to[0]?.startsWith(`${local}+`))).toHaveLength(3);
  }, 60_000);

  it('is asked no more often when its channel is removed and added, or switched on, again and again', async () => {
    const [{ key }, address] = [await anAccount(), aPerson()];
    for (let n = 0; n < 10; n += 1) {
      const { id } = await add(key, address);
      expect((await call(key, 'PATCH', String(id), { active: true })).status).toBe(409);
      await call(key, 'DELETE', String(id));
    }
    await add((await anAccount()).key, address);
    await notifications.of(MailQuestions).run();
    expect(relay.caught.all.filter(({ to }) => to.includes(address)).length).toBeLessThanOrEqual(3);
  });
});

describe('an account', () => {
  it('asks ten addresses an hour and twenty a day', async () => {
    const { key } = await anAccount();
    const before = relay.caught.all.length;
    const addresses = Array.from({ length: 48 }, aPerson);
    const asked = async (many: number) => {
      for (const address of addresses.splice(0, many)) await add(key, address);
      await notifications.of(MailQuestions).run();
      return relay.caught.all.length - before;
    };
    expect(await asked(12)).toBe(10);
    notifications.advance(HOUR + MINUTE);
    expect(await asked(12)).toBe(20);
    notifications.advance(HOUR + MINUTE);
    expect(await asked(12)).toBe(20);
    notifications.advance(DAY);
    expect(await asked(2)).toBe(22);
  });
});
