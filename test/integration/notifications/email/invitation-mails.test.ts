import { describe, expect, it } from '@jest/globals';
import { Members } from '../../../../src/auth/index.js';
import { Clock, DAY, HOUR, MINUTE } from '../../../../src/kernel/clock.js';
import { SendOwnMails } from '../../../../src/notifications/own-mail/send-own-mails.js';
import { SmtpMailer } from '../../../../src/notifications/email/smtp-mailer.js';
import { SqlClient } from '../../../../src/platform/database/sql-client.js';
import { PostgresAccountRemoval } from '../../../../src/notifications/account-removal.repository.js';
import { MailCatcher } from '../../../world/mailbox.js';
import { running } from '../../../support/running.js';
import { NotificationService } from '../../../support/servers/notification-service.js';

const PUBLIC_URL = 'https://names.example/watch/';
const OPEN_ID = {
  OIDC_ISSUER: 'http://127.0.0.1:1', // nobody signs in there
  OIDC_CLIENT_ID: 'namewatch',
  OIDC_CLIENT_SECRET: 'hush',
};

const relay = running(() => MailCatcher.start());
const mail = () => ({ UI: 'on', PUBLIC_URL, SMTP_URL: relay.url, MAIL_FROM: 'names@namewatch.example' });
const keys = [7, 8].map((byte) => Buffer.alloc(32, byte).toString('base64'));
const notifications = running(() => NotificationService.start({ ...OPEN_ID, ...mail(), MASTER_KEY: keys[0] ?? '' }));

let people = 0;
const anAddress = () => `person${(people += 1)}@example.test`;
const send = (by = notifications) => by.of(SendOwnMails).run();
const mailsTo = (email: string) => relay.caught.all.filter(({ to }) => to[0]?.toLowerCase() === email.toLowerCase());

async function invite(email: string, { key, by = notifications }: { key?: string; by?: NotificationService } = {}) {
  const call = { method: 'POST', path: '/v1/invitations', body: { email, role: 'editor' }, ...(key && { key }) };
  const { status, body } = await by.service.call(call);
  expect(status).toBe(201);
  return { id: String(body['id']), link: String(body['link']), mail: String(body['mail']) };
}
/** The answer hides whether a mail has left. */
async function stateOf(email: string) {
  const text = 'select state from invitations i left join mail_outbox m on m.id = i.id where email = $1';
  const [row] = await notifications.rows(text, [email]);
  return row?.['state'] ?? 'none';
}
async function shownOf(email: string) {
  const { body } = await notifications.service.call({ path: '/v1/invitations' });
  return (body['data'] as { email: string; mail: string }[]).find((one) => one.email === email)?.mail;
}
const endLease = (id: string) =>
  notifications.rows(`update mail_outbox set lease_until = now() - interval '1 second' where id = $1`, [id]);
/** As a process that dies after the relay took the mail, or before. */
async function sendAndDie(when: 'before' | 'after'): Promise<void> {
  const mailer = notifications.of(SmtpMailer);
  const really = mailer.send.bind(mailer);
  mailer.send = async (mailed) => {
    if (when === 'after') await really(mailed);
    throw new Error('it died');
  };
  await send().finally(() => Object.assign(mailer, { send: really }));
}
/** Another service on the same database. */
async function beside<Result>(
  settings: Record<string, string>,
  act: (other: NotificationService) => Promise<Result>,
): Promise<Result> {
  const database = { DATABASE_URL: notifications.service.databaseUrl, MASTER_KEY: keys[0] ?? '' };
  const other = await NotificationService.start({ ...database, ...OPEN_ID, ...mail(), ...settings });
  other.advance(notifications.of(Clock).now().getTime() - Date.now());
  try {
    return await act(other);
  } finally {
    await other.close();
  }
}

describe('an invitation', () => {
  it('is mailed with the link that its creator sees, and the link lets the recipient join', async () => {
    const email = anAddress();
    const { link, mail: first } = await invite(email);
    expect([first, await shownOf(email), await stateOf(email)]).toEqual(['queued', 'queued', 'waiting']);
    await send();
    const [caught, ...more] = mailsTo(email);
    expect([more, await shownOf(email), await stateOf(email)]).toEqual([[], 'queued', 'sent']);
    expect(caught?.parsed.subject).toBe('[Namewatch] You are invited to look after domain names');
    expect(caught?.parsed.text).toContain('invites you to it, as an editor.');
    const [, token = ''] =
      /https:\/\/names\.example\/watch\/ui\/#invitation=(\S+)/.exec(caught?.parsed.text ?? '') ?? [];
    expect(link).toMatch(`/ui/#invitation=${token}`);
    const person = { issuer: 'https://login.example', subject: email, name: null, email, groups: [] };
    const { accountId } = await notifications.of(Members).signIn(person, token);
    expect(accountId).toBe(notifications.service.account.id);
  });

  it('is mailed without the account’s name, because the recipient may not know the account', async () => {
    const [{ id, key }, email] = [await notifications.service.openAccount(), anAddress()];
    await notifications.rows(`update accounts set name = 'Cheap watches at evil.example' where id = $1`, [id]);
    await invite(email, { key });
    await send();
    expect(mailsTo(email)[0]?.raw).not.toContain('evil.example');
  });

  it('is mailed when an account is created for a client, with an email address to invite', async () => {
    const email = anAddress();
    const post = (body: object) => notifications.service.call({ method: 'POST', path: '/v1/accounts', body });
    expect((await post({ name: 'Client Ltd', invite: email })).body).toMatchObject({ mail: 'queued' });
    expect((await post({ name: 'Another Ltd' })).body).toMatchObject({ link: null, mail: 'none' });
    await send();
    expect(mailsTo(email)).toHaveLength(1);
  });

  it('is mailed once if the request is repeated with the same Idempotency-Key', async () => {
    const email = anAddress();
    const call = { method: 'POST', path: '/v1/invitations', body: { email, role: 'viewer' } };
    const headers = { 'idempotency-key': 'invite once' };
    const answers = [
      await notifications.service.call({ ...call, headers }),
      await notifications.service.call({ ...call, headers }),
    ];
    expect(answers.map(({ status, body }) => [status, body['id']])).toEqual(
      [201, 201].map((status) => [status, answers[0]?.body['id']]),
    );
    await Promise.all([send(), send()]);
    expect(mailsTo(email)).toHaveLength(1);
  });

  it('is shown as failed if the mail relay rejects its mail permanently', async () => {
    const email = anAddress();
    relay.refusals = { rcptTo: { code: 550, text: 'no such user' } };
    await invite(email);
    await send();
    relay.refusals = {};
    expect([await shownOf(email), await stateOf(email)]).toEqual(['failed', 'failed']);
  });

  it.each(['carol@localhost', "o'@-.example", 'x@127.1'])(
    'is not mailed to an address that cannot receive mail: %s',
    async (email) => {
      await invite(email);
      await send();
      expect([mailsTo(email), await stateOf(email)]).toEqual([[], 'failed']);
    },
  );

  it('is not mailed if it was withdrawn or accepted, or while its account is suspended', async () => {
    const [taken, accepted, suspended] = [anAddress(), anAddress(), anAddress()];
    const { link } = await invite(accepted);
    const person = { issuer: 'https://login.example', subject: accepted, name: null, email: accepted, groups: [] };
    await notifications.of(Members).signIn(person, link.replace(/^.*=/, ''));
    const { id } = await invite(taken);
    await notifications.service.call({ method: 'DELETE', path: `/v1/invitations/${id}` });
    const account = await notifications.service.openAccount();
    await invite(suspended, { key: account.key });
    await notifications.rows('update accounts set suspended_at = now() where id = $1', [account.id]);
    await send();
    expect([taken, accepted, suspended].flatMap(mailsTo)).toEqual([]);
    await notifications.rows('update accounts set suspended_at = null where id = $1', [account.id]);
    await send();
    expect(mailsTo(suspended)).toHaveLength(1);
  });

  it('is mailed again with the same Message-ID after a crash, and still counts as one mail', async () => {
    const email = anAddress();
    const { id } = await invite(email);
    for (const when of ['after', 'before', 'before', 'before'] as const) {
      await sendAndDie(when);
      await send();
      expect(mailsTo(email)).toHaveLength(1); // under the lease of another
      await endLease(id);
    }
    await send();
    const messageId = `<invitation.${id}@namewatch.example>`;
    expect(mailsTo(email).map(({ parsed }) => parsed.messageId)).toEqual([messageId, messageId]);
    expect(await stateOf(email)).toBe('sent');
    await invite(email);
    await send();
    expect(mailsTo(email)).toHaveLength(3); // two invitations of a day are mailed to it
  });

  it('is still retried after three days, and its mail then has the date of that attempt', async () => {
    const email = anAddress();
    relay.refusals = { mailFrom: { code: 550, text: 'who are you' } };
    await invite(email);
    for (let hour = 0; hour < 3 * 24; hour += 1) {
      await send();
      notifications.advance(HOUR);
    }
    expect([mailsTo(email), await stateOf(email)]).toEqual([[], 'waiting']);
    relay.refusals = {};
    notifications.advance(6 * HOUR);
    await send();
    const [mailed] = mailsTo(email);
    expect(notifications.of(Clock).now().getTime() - Date.parse(String(mailed?.parsed.date))).toBeLessThan(MINUTE);
  });

  it('is not mailed to a mailbox that unsubscribed from the account in an earlier mail', async () => {
    const email = anAddress();
    await invite(email);
    await send();
    const [, path = ''] =
      /^https:\/\/names\.example\/watch(\/u\/\S+)$/m.exec(mailsTo(email)[0]?.parsed.text ?? '') ?? [];
    expect((await notifications.service.call({ method: 'POST', path, key: null })).status).toBe(200);
    await invite(email);
    await send();
    expect(mailsTo(email)).toHaveLength(1);
    await invite(email, { key: (await notifications.service.openAccount()).key });
    await send();
    expect(mailsTo(email)).toHaveLength(2);
  });

  it('waits a day if its account already sent two invitations to the mailbox, in any spelling', async () => {
    for (const spelling of ['twice@example.test', 'Twice@example.test', 'twice+1@example.test']) await invite(spelling);
    await send();
    const sent = () => relay.caught.all.filter(({ to }) => /^twice/i.test(to[0] ?? ''));
    expect(sent()).toHaveLength(2);
    notifications.advance(DAY);
    await send();
    expect(sent()).toHaveLength(3);
  });

  it('waits a day if the mailbox already got six invitations, but is shown as queued', async () => {
    const accounts = [];
    for (let n = 0; n < 4; n += 1) accounts.push(await notifications.service.openAccount());
    for (const { key } of [...accounts, ...accounts]) await invite('often@example.test', { key });
    await send();
    expect(mailsTo('often@example.test')).toHaveLength(6);
    for (const { key } of accounts) {
      const { body } = await notifications.service.call({ path: '/v1/invitations', key });
      expect(body['data']).toMatchObject([{ mail: 'queued' }, { mail: 'queued' }]);
    }
    notifications.advance(DAY);
    await send();
    expect(mailsTo('often@example.test')).toHaveLength(8);
  });

  it('counts towards the daily limit of its mailbox even after its account is deleted', async () => {
    const email = anAddress();
    for (let n = 0; n < 3; n += 1) {
      const { id, key } = await notifications.service.openAccount();
      await invite(email, { key });
      await invite(email, { key });
      await send();
      for (const part of new PostgresAccountRemoval(notifications.of(SqlClient)).parts())
        await part.deleteBatch(id, 1_000);
    }
    const { id } = await invite(email);
    await send();
    expect(mailsTo(email)).toHaveLength(6);
    await notifications.service.call({ method: 'DELETE', path: `/v1/invitations/${id}` });
  });

  it('waits a day if its account already sent fifty invitations, including withdrawn ones', async () => {
    const { key } = await notifications.service.openAccount();
    const { id } = await invite(anAddress(), { key });
    await send();
    await notifications.service.call({ method: 'DELETE', path: `/v1/invitations/${id}`, key });
    await notifications.rows(
      `insert into mail_outbox
         (id, kind, account_id, subject_id, mailbox, state, due_at, counted_at, created_at, expires_at)
       select id || n, kind, account_id, subject_id, n, state, due_at, counted_at, created_at, expires_at
       from mail_outbox, generate_series(2, 49) as n where id = $1`,
      [id],
    );
    const emails = [anAddress(), anAddress()];
    for (const email of emails) await invite(email, { key });
    await send();
    expect(emails.flatMap(mailsTo)).toHaveLength(1);
    notifications.advance(DAY);
    await send();
    expect(emails.flatMap(mailsTo)).toHaveLength(2);
  });

  it('is mailed with its link even if the master key changed meanwhile', async () => {
    const email = anAddress();
    const { link } = await invite(email);
    await beside({ MASTER_KEY: keys[1] ?? '', MASTER_KEY_PREVIOUS: keys[0] ?? '' }, send);
    expect(mailsTo(email)[0]?.parsed.text).toContain(link.replace(/^.*#/, ''));
  });

  it.each([
    ['has no mail relay', { SMTP_URL: '', MAIL_FROM: '' }],
    ['has no dashboard', { UI: 'off' }],
    ['lets nobody sign in', { OIDC_ISSUER: '', OIDC_CLIENT_ID: '', OIDC_CLIENT_SECRET: '' }],
  ])('is not mailed by a service that %s', async (_, settings) => {
    const email = anAddress();
    const made = await beside(settings, async (by) => {
      const invited = await invite(email, { by, key: notifications.service.account.key });
      await send(by);
      return invited;
    });
    await send();
    expect([made.mail, mailsTo(email), await stateOf(email)]).toEqual(['none', [], 'none']);
  });

  it('waits while the service runs with SENDING=off, and is mailed afterwards', async () => {
    const email = anAddress();
    await beside({ SENDING: 'off' }, async (by) => {
      await invite(email, { by, key: notifications.service.account.key });
      await send(by);
    });
    expect([mailsTo(email), await stateOf(email)]).toEqual([[], 'waiting']);
    await send();
    expect(mailsTo(email)).toHaveLength(1);
  });
});
