import { beforeEach, describe, expect, it } from '@jest/globals';
import { Clock, MINUTE, SECOND } from '../../../../src/kernel/clock.js';
import { MailCatcher } from '../../../world/mailbox.js';
import { anEvent } from '../../../support/builders/notification-events.js';
import { entryOf, nameOf } from '../../../support/builders/numbered-names.js';
import { mailVia } from '../../../support/servers/mail-reader.js';
import { running } from '../../../support/running.js';
import { NotificationService } from '../../../support/servers/notification-service.js';

const relay = running(() => MailCatcher.start());
const notifications = running(() =>
  NotificationService.start({ ...mailVia(relay), NOTIFICATIONS_EMAIL_CONFIRMATION: 'false' }),
);

let account: { readonly id: string; readonly key: string };
let channel: string;
let before: number;
beforeEach(async () => {
  relay.refusals = {};
  account = await notifications.service.openAccount();
  const call = { method: 'POST', path: '/v1/notifications', key: account.key };
  const { body } = await notifications.service.call({ ...call, body: { type: 'email', target: 'ada@example.com' } });
  channel = String(body['id']);
  before = relay.caught.all.length;
});

const about = () => ({ accountId: account.id, at: notifications.of(Clock).now() });
const happensTo = (type: string, ...names: string[]) =>
  notifications.happens(...names.map((name) => anEvent(entryOf(name), { ...about(), type })));
/** Events that can wait, and such that cannot. */
const routine = (...names: string[]) => happensTo('watchlist.expiring', ...names);
const urgent = (...names: string[]) => happensTo('watchlist.available', ...names);
const mails = () => relay.caught.all.slice(before).map(({ parsed }) => parsed);
/** The names in each mail so far. */
const sent = async () => {
  await notifications.deliverDue();
  const names = /(?<=^(?:\* )?)[\w-]+\.example(?= is| expires)/gm;
  return mails().map(({ text }) => [...new Set(text?.match(names) ?? [])]);
};
const states = async () => {
  const rows = await notifications.rows(
    `select d.state, string_agg(a.outcome, ',' order by number) as outcomes from deliveries d
     left join delivery_attempts a on a.delivery_id = d.id where channel_id = $1 group by d.id order by d.id`,
    [channel],
  );
  return rows.map(({ state, outcomes }) => `${String(state)}: ${String(outcomes)}`);
};

describe('a person with an email channel', () => {
  it('gets the first event at once, and the next routine events together five minutes later', async () => {
    await routine('a.example');
    expect(await sent()).toEqual([['a.example']]);
    await routine('b.example');
    notifications.advance(4 * MINUTE);
    await routine('c.example');
    expect(await sent()).toHaveLength(1);
    notifications.advance(MINUTE);
    expect((await sent()).slice(1)).toEqual([['b.example', 'c.example']]);
    expect(await states()).toEqual(Array.from({ length: 3 }, () => 'delivered: ok'));
  });

  it('gets an urgent event a minute after the last mail, listed above waiting routine events', async () => {
    await routine('a.example');
    await sent();
    await routine('b.example');
    await urgent('c.example');
    notifications.advance(59 * SECOND);
    expect(await sent()).toHaveLength(1);
    notifications.advance(SECOND);
    expect((await sent()).slice(1)).toEqual([['c.example', 'b.example']]);
  });

  it('gets an event at once if the last mail was six minutes ago', async () => {
    await routine('a.example');
    await sent();
    notifications.advance(6 * MINUTE);
    await routine('b.example');
    expect(await sent()).toHaveLength(2);
  });

  it('gets at most 16 mails for 40 routine events that are 90 seconds apart', async () => {
    for (let n = 0; n < 40; n += 1) {
      await routine(nameOf(n));
      await sent();
      notifications.advance(1.5 * MINUTE);
    }
    notifications.advance(5 * MINUTE);
    const all = await sent();
    expect(all.flat()).toHaveLength(40);
    expect(all.length).toBeLessThanOrEqual(16);
  });

  it('gets up to 200 names in one mail, and the number of the others', async () => {
    const names = Array.from({ length: 250 }, (_, n) => nameOf(n));
    await urgent(...names);
    const [read, ...others] = await sent();
    expect([read?.length, others]).toEqual([200, []]);
    expect(mails()[0]?.subject).toMatch(/^\[Namewatch\] name-\d+\.example is now available, and 249 more$/);
    expect(mails()[0]?.text).toContain('and 50 more');
    expect(new Set(await states())).toEqual(new Set(['delivered: ok']));
  });

  it('gets nothing while the account is suspended, and the mail once it is resumed', async () => {
    await notifications.rows('update accounts set suspended_at = now() where id = $1', [account.id]);
    await urgent('a.example');
    expect([await sent(), await states()]).toEqual([[], ['pending: null']]);
    await notifications.rows('update accounts set suspended_at = null where id = $1', [account.id]);
    expect(await sent()).toEqual([['a.example']]);
  });
});

describe('a mail', () => {
  it('is sent again later, with newer events, if the mail server refuses it temporarily', async () => {
    relay.refusals = { rcptTo: { code: 451, text: '4.7.1 greylisted' } };
    await urgent('a.example', 'b.example');
    expect(await sent()).toEqual([]);
    relay.refusals = {};
    notifications.advance(2 * MINUTE);
    await routine('c.example');
    notifications.advance(4 * MINUTE);
    const [first, ...others] = await sent();
    expect([first?.toSorted(), others]).toEqual([['a.example', 'b.example', 'c.example'], []]);
    expect((await states()).toSorted()).toEqual([
      'delivered: mail_rejected,ok',
      'delivered: mail_rejected,ok',
      'delivered: ok',
    ]);
  });

  it('is sent again with the same events and the same Message-ID after a crash', async () => {
    await urgent('a.example', 'b.example');
    const [interrupted] = await notifications.claim();
    if (interrupted) await notifications.deliver({ ...interrupted, lease: { ...interrupted.lease, token: 'another' } });
    await urgent('c.example');
    expect(await sent()).toHaveLength(1);
    await notifications.endLeases();
    expect((await sent()).slice(1)).toEqual([['a.example', 'b.example']]);
    expect(new Set(mails().map(({ messageId }) => messageId)).size).toBe(1);
    notifications.advance(MINUTE);
    expect((await sent()).slice(2)).toEqual([['c.example']]);
    expect(await states()).toEqual(['delivered: lost,ok', 'delivered: lost,ok', 'delivered: ok']);
  });
});
