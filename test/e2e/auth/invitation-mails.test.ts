import { describe, expect, it } from '@jest/globals';
import { MailCatcher } from '../../support/fakes/mail-catcher.js';
import { running } from '../../support/running.js';
import { startTestService, type TestService } from '../../support/servers/test-service.js';

const PUBLIC_URL = 'https://names.example/watch/';

const relay = running(() => MailCatcher.start());
const mails = () => ({ SMTP_URL: relay.url, MAIL_FROM: 'names@namewatch.example' });
const service = running(() => startTestService({ ROLE: 'api', UI: 'on', PUBLIC_URL, ...mails() }));
const another = (settings: Readonly<Record<string, string>>) =>
  startTestService({ ROLE: 'api', UI: 'on', DATABASE_URL: service.databaseUrl, ...mails(), ...settings });

const invite = (email: string, { at = service, key = service.account.key }: { at?: TestService; key?: string } = {}) =>
  at.call({ method: 'POST', path: '/v1/invitations', key, body: { email, role: 'editor' } });
const mailTo = async (email: string) => {
  const ofAddress = () => relay.caught.all.filter(({ to }) => to.includes(email));
  while (ofAddress().length === 0) await relay.caught.waitFor(relay.caught.all.length + 1);
  return ofAddress()[0];
};

describe('an invitation', () => {
  it('is mailed where the service sends mail, and shown to who made it', async () => {
    const { status, body } = await invite('alice@example.test');
    expect([status, body['mailed']]).toEqual([201, true]);
    const mail = await mailTo('alice@example.test');
    expect(mail?.parsed.subject).toBe('[Namewatch] You are invited to look after domain names');
    expect(mail?.parsed.text).toContain(`https://names.example${String(body['link'])}`);
    expect(mail?.parsed.text).toContain('invites you to it, as an editor.');
  });

  it('has a mail without a word of the account, whose recipient may not know it', async () => {
    const { key } = await service.openAccount();
    await service.query(`update accounts set name = 'Cheap watches at evil.example' where id <> $1`, [
      service.account.id,
    ]);
    await invite('bob@example.test', { key });
    expect((await mailTo('bob@example.test'))?.raw).not.toContain('evil.example');
  });

  it('of an account for a client is mailed too', async () => {
    const body = { name: 'Client Ltd', invite: 'client@example.test' };
    const opened = await service.call({ method: 'POST', path: '/v1/accounts', body });
    expect(opened).toMatchObject({ status: 201, body: { mailed: true } });
    expect((await mailTo('client@example.test'))?.parsed.text).toContain(String(opened.body['link']));
    const without = await service.call({ method: 'POST', path: '/v1/accounts', body: { name: 'Another Ltd' } });
    expect(without).toMatchObject({ status: 201, body: { link: null, mailed: false } });
  });

  it('that the relay refuses is there all the same, with its link', async () => {
    relay.refusals = { rcptTo: { code: 550, text: 'no such user' } };
    const refused = await invite('nobody@example.test');
    relay.refusals = {};
    expect(refused).toMatchObject({ status: 201, body: { mailed: false, link: expect.any(String) } });
    const { body } = await service.call({ path: '/v1/invitations' });
    expect(body['data']).toContainEqual(expect.objectContaining({ email: 'nobody@example.test' }));
  });

  it.each(['carol@localhost', "o'@-.example", 'x@127.1'])('for %s is not mailed: no mail goes there', async (email) => {
    expect(await invite(email)).toMatchObject({ status: 201, body: { mailed: false } });
  });

  it('is mailed three times a day to an address, whoever asks, and then shown only', async () => {
    const keys = [service.account.key, (await service.openAccount()).key];
    const answers = [];
    for (let n = 0; n < 4; n += 1) answers.push(await invite('Often@Example.test', { key: keys[n % 2] ?? '' }));
    expect(answers.map(({ body }) => body['mailed'])).toEqual([true, true, true, false]);
  });

  it('is mailed fifty times a day for an account, also when they are revoked', async () => {
    const { key } = await service.openAccount();
    const mailed = [];
    for (let n = 0; n < 52; n += 1) {
      const { body } = await invite(`many${n}@example.test`, { key });
      mailed.push(body['mailed']);
      await service.call({ method: 'DELETE', path: `/v1/invitations/${String(body['id'])}`, key });
    }
    expect(mailed.filter(Boolean)).toHaveLength(50);
    expect(mailed.slice(-2)).toEqual([false, false]);
  });

  it.each([
    ['has no PUBLIC_URL', { NOTIFICATIONS_EMAIL_CONFIRMATION: 'false' }],
    ['sends nothing (SENDING)', { PUBLIC_URL, SENDING: 'off' }],
    ['has no dashboard', { PUBLIC_URL, UI: 'off' }],
  ])('is not mailed by a service that %s', async (_, settings) => {
    const at = await another(settings);
    expect(await invite('dora@example.test', { at })).toMatchObject({ status: 201, body: { mailed: false } });
    await at.close();
  });
});
