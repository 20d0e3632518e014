import { beforeEach, describe, expect, it } from '@jest/globals';
import { Clock, HOUR, MINUTE } from '../../../../src/kernel/clock.js';
import { MessageThrottle } from '../../../../src/notifications/deliveries/message-throttle.js';
import { DeliveriesService } from '../../../../src/notifications/deliveries/deliveries.service.js';
import { DigestRepository } from '../../../../src/notifications/deliveries/digests.repository.js';
import { failed } from '../../../../src/notifications/index.js';
import { EmailSender } from '../../../../src/notifications/email/email-sender.js';
import { running } from '../../../support/running.js';
import { FloodedMailbox, nameOf } from '../../../support/servers/flooded-mailbox.js';
import { anEvent } from '../../../support/builders/notification-events.js';

const flooded = running(() => FloodedMailbox.start());
beforeEach(() => flooded.begin());

describe('a mail that the relay rejects for now', () => {
  it('is retried a minute later, and counts against the channel', async () => {
    flooded.relay.refusals = { rcptTo: { code: 450, text: 'mailbox busy' } };
    await flooded.publishAndDeliver(1, 1);
    expect(await flooded.states()).toEqual({ pending: 1 });
    const failing = 'select 1 from notification_channels where id = $1 and first_failure_at is not null';
    expect(await flooded.notifications.rows(failing, [flooded.channel])).toHaveLength(1);
    const [retry] = await flooded.notifications.rows(
      `select extract(epoch from next_attempt_at - (select max(started_at) from delivery_attempts where delivery_id = d.id))::float as seconds
       from deliveries d where channel_id = $1`,
      [flooded.channel],
    );
    expect(retry?.['seconds']).toBeGreaterThanOrEqual(47);
    expect(retry?.['seconds']).toBeLessThanOrEqual(75);
    flooded.relay.refusals = {};
    flooded.notifications.advance(2 * MINUTE);
    await flooded.notifications.deliverDue();
    expect(await flooded.lastAttempts()).toEqual(['mail_rejected,ok']);
    expect(await flooded.notifications.rows(failing, [flooded.channel])).toEqual([]);
  });
});

describe('a digest', () => {
  const waits = async () => {
    await flooded.publishAndDeliver(1, 20);
    flooded.notifications.advance(MINUTE);
    await flooded.publishAndDeliver(21, 24);
    flooded.notifications.advance(HOUR);
  };

  it('is the same message at each attempt after a temporary failure', async () => {
    await waits();
    flooded.relay.refusals = { message: { code: 451, text: 'later' } };
    await flooded.sendDigests();
    expect(await flooded.states()).toEqual({ delivered: 20, pending: 4 });
    expect(await flooded.notifications.deliverDue()).toBe(0);
    await flooded.sendDigests();
    expect(await flooded.lastAttempts()).toEqual(['mail_rejected']);
    flooded.relay.refusals = {};
    flooded.notifications.advance(2 * MINUTE);
    await flooded.sendDigests();
    expect(await flooded.lastAttempts()).toEqual(['mail_rejected,ok']);
    expect(await flooded.states()).toEqual({ delivered: 24 });
    expect(flooded.digests).toHaveLength(1);
  });

  it('fails all its deliveries after a permanent failure; each can be redelivered', async () => {
    await waits();
    flooded.relay.refusals = { rcptTo: { code: 550, text: 'no such user' } };
    await flooded.sendDigests();
    expect(await flooded.states()).toEqual({ delivered: 20, failed: 4 });
    flooded.relay.refusals = {};
    const [row] = await flooded.notifications.rows(
      `select id from deliveries where channel_id = $1 and state = 'failed'`,
      [flooded.channel],
    );
    await flooded.notifications.of(DeliveriesService).redeliver(flooded.account.id, String(row?.['id']));
    await flooded.notifications.deliverDue();
    expect(await flooded.states()).toEqual({ delivered: 21, failed: 3 });
    expect(flooded.digests).toEqual([]);
  });

  it('whose process dies is sent by another as the same message; the first attempts are lost', async () => {
    await waits();
    const email = flooded.notifications.of(EmailSender);
    const send = email.sendDigest.bind(email);
    let wake: () => void = () => undefined;
    const asleep = new Promise<void>((resolve) => (wake = resolve));
    const ids: string[] = [];
    email.sendDigest = async (digest) => {
      ids.push(digest.id);
      await asleep;
      return failed('connect');
    };
    const zombie = flooded.sendDigests();
    await flooded.notifications.until(`select 1 from delivery_attempts where outcome is null`, [], 4);
    await flooded.notifications.rows('update digests set lease_until = now()');
    email.sendDigest = (digest) => {
      ids.push(digest.id);
      return send(digest);
    };
    await flooded.sendDigests();
    wake();
    await zombie; // which writes nothing any more
    expect(new Set(ids).size).toBe(1);
    expect(await flooded.lastAttempts()).toEqual(['lost,ok']);
    expect(await flooded.states()).toEqual({ delivered: 24 });
    expect(flooded.digests).toHaveLength(1);
  });

  it('leaves out events about deleted entries', async () => {
    await flooded.publishAndDeliver(1, 22);
    const gone = await flooded.notifications.rows(
      `select d.id from deliveries d join events e on e.id = d.event_id
       where channel_id = $1 and d.state = 'pending' and e.body like '%' limit 1`,
      [flooded.channel],
    );
    await flooded.notifications.rows(`update deliveries set state = 'disabled', next_attempt_at = null where id = $1`, [
      gone[0]?.['id'],
    ]);
    flooded.notifications.advance(HOUR);
    await flooded.sendDigests();
    const [digest] = flooded.digests;
    expect(digest?.subject).toContain('One more piece');
    expect(await flooded.states()).toEqual({ delivered: 21, disabled: 1 });
  });

  it('of a disabled channel is not sent; its deliveries are paused and can be redelivered', async () => {
    await waits();
    const patch = { method: 'PATCH', path: `/v1/notifications/${flooded.channel}`, key: flooded.account.key };
    await flooded.notifications.service.call({ ...patch, body: { active: false } });
    await flooded.sendDigests();
    expect(flooded.digests).toEqual([]);
    expect(await flooded.states()).toEqual({ delivered: 20, paused: 4 });
    await flooded.notifications.service.call({ ...patch, body: { active: true } });
    const from = new Date(Date.now() - HOUR);
    const to = flooded.notifications.of(Clock).now();
    await flooded.notifications.rows(`delete from deliveries where channel_id = $1 and state = 'delivered'`, [
      flooded.channel,
    ]);
    const service = flooded.notifications.of(DeliveriesService);
    expect(await service.replay(flooded.account.id, flooded.channel, from, to)).toBe(4);
    await flooded.notifications.deliverDue();
    expect(await flooded.states()).toEqual({ delivered: 4 });
  });

  it('of a deleted channel is not sent, and leaves nothing behind', async () => {
    await waits();
    await flooded.notifications.service.call({
      method: 'DELETE',
      path: `/v1/notifications/${flooded.channel}`,
      key: flooded.account.key,
    });
    await flooded.sendDigests();
    flooded.notifications.advance(HOUR);
    await flooded.notifications.of(MessageThrottle).purge();
    expect(flooded.digests).toEqual([]);
    expect(await flooded.notifications.rows('select 1 from digests where channel_id = $1', [flooded.channel])).toEqual(
      [],
    );
    expect(
      await flooded.notifications.rows('select 1 from message_quotas where starts_with(key, $1)', [flooded.account.id]),
    ).toEqual([]);
  });

  it('waits for deliveries that are added at the last moment', async () => {
    await waits();
    const at = flooded.notifications.of(Clock).now();
    await flooded.notifications.happens(anEvent({ domain: nameOf(99) }, { accountId: flooded.account.id, at }));
    await Promise.all([flooded.sendDigests(), flooded.notifications.deliverDue(), flooded.sendDigests()]);
    await flooded.notifications.deliverDue();
    expect(await flooded.states()).toEqual({ delivered: 25 });
    expect(flooded.digests).toHaveLength(1);
  });
});

describe('the digests of chats', () => {
  it('of one account leave slots to the others, at a host and overall', async () => {
    const insert = `insert into digests (id, kind, channel_id, account_id, host, due_at, failures)
      select $1 || n, 'chat', 'nc_none', $1, $2 || case when $3 then n::text else '' end, now() - interval '1 day', 0
      from generate_series(1, 30) n`;
    await flooded.notifications.rows(insert, ['many-hosts', 'host', true]);
    for (const name of ['one', 'two', 'three']) await flooded.notifications.rows(insert, [name, 'shared', false]);
    const claims = await flooded.notifications.of(DigestRepository).claimDue('chat', new Date(), 100);
    const claimed = Map.groupBy(claims, ({ id }) => id.replace(/\d+$/, ''));
    expect(claimed.get('many-hosts')).toHaveLength(3);
    expect(['one', 'two', 'three'].map((name) => claimed.get(name)?.length).sort()).toEqual([1, 2, 2]);
    expect(await flooded.notifications.of(DigestRepository).claimDue('chat', new Date(), 100)).toEqual([]);
    await flooded.notifications.rows(`delete from digests where channel_id = 'nc_none'`);
  });
});
