import { beforeEach, describe, expect, it } from '@jest/globals';
import { Clock, HOUR, MINUTE } from '../../../../src/kernel/clock.js';
import { RepairAfterPutBack } from '../../../../src/platform/database/put-back-repair.js';
import { running } from '../../../support/running.js';
import { FloodedMailbox, nameOf } from '../../../support/servers/flooded-mailbox.js';

const flooded = running(() => FloodedMailbox.start());
beforeEach(() => flooded.begin());

describe('more than twenty mails in an hour on a channel', () => {
  it('wait, and are sent as one digest after the hour, with every name, each with its attempt', async () => {
    await flooded.publishAndDeliver(1, 25);
    expect(flooded.mails).toHaveLength(20);
    const waiting = await flooded.notifications.rows(
      `select next_attempt_at, attempts, exists (select from delivery_leases where delivery_id = id) as held
       from deliveries where channel_id = $1 and state = 'pending'`,
      [flooded.channel],
    );
    expect(waiting).toHaveLength(5);
    for (const { next_attempt_at, held, attempts } of waiting) {
      expect({ held, attempts }).toEqual({ held: false, attempts: 0 });
      const wait = (next_attempt_at as Date).getTime() - flooded.notifications.of(Clock).now().getTime();
      expect(wait).toBeGreaterThan(HOUR - MINUTE);
      expect(wait).toBeLessThanOrEqual(HOUR);
    }
    flooded.notifications.advance(HOUR - MINUTE);
    await flooded.publishAndDeliver(26, 30);
    await flooded.sendDigests();
    expect(flooded.mails).toHaveLength(20);
    flooded.notifications.advance(MINUTE);
    await flooded.notifications.deliverDue();
    await Promise.all(Array.from({ length: 4 }, () => flooded.sendDigests()));
    const [digest, ...others] = flooded.digests;
    expect(others).toEqual([]);
    expect(digest?.subject).toBe('[Namewatch] 10 more pieces of news of the last hour');
    const named = [...flooded.mails].map(({ text, html }) => [text, html]);
    for (let n = 1; n <= 30; n += 1)
      for (const part of [0, 1])
        expect(named.filter((parts) => parts[part]?.includes(`${nameOf(n)} is now available`))).toHaveLength(1);
    expect(await flooded.states()).toEqual({ delivered: 30 });
    const rows = await flooded.notifications.rows(
      `select outcome, response_status, duration_ms is not null as timed from delivery_attempts a
       join deliveries d on d.id = a.delivery_id where d.channel_id = $1`,
      [flooded.channel],
    );
    expect(rows).toHaveLength(30);
    expect(new Set(rows.map((row) => JSON.stringify(row)))).toEqual(
      new Set([JSON.stringify({ outcome: 'ok', response_status: 250, timed: true })]),
    );
    const deliveries = await flooded.notifications.service.call({
      path: `/v1/notifications/${flooded.channel}/deliveries?per_page=100`,
      key: flooded.account.key,
    });
    expect(deliveries.body['meta']).toMatchObject({ total: 30 });
  });

  it('can be unsubscribed from in the digest too', async () => {
    await flooded.publishAndDeliver(1, 21);
    flooded.notifications.advance(HOUR);
    await flooded.sendDigests();
    const [digest] = flooded.digests;
    expect(digest?.subject).toBe('[Namewatch] One more piece of news of the last hour');
    const header = digest?.headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? '';
    const path = /^<https:\/\/namewatch\.example(\/u\/.+)>$/.exec(header)?.[1] ?? '';
    expect(digest?.text).toContain(path);
    expect((await flooded.notifications.service.call({ method: 'POST', path, key: null })).status).toBe(200);
    const { body } = await flooded.notifications.service.call({
      path: `/v1/notifications/${flooded.channel}`,
      key: flooded.account.key,
    });
    expect(body).toMatchObject({ active: false, reason: 'unsubscribed' });
  });

  it('are counted from zero in the next hour, where a digest takes no place of an urgent mail', async () => {
    await flooded.publishAndDeliver(1, 21);
    flooded.notifications.advance(HOUR);
    await flooded.sendDigests();
    await flooded.publishAndDeliver(22, 45);
    expect(flooded.mails).toHaveLength(20 + 1 + 20);
    flooded.notifications.advance(HOUR);
    await flooded.sendDigests();
    expect(flooded.digests).toHaveLength(2);
    expect(await flooded.states()).toEqual({ delivered: 45 });
  });

  it('are counted per mailbox, and not for webhooks', async () => {
    const other = await flooded.add('email', 'eve@example.com');
    const webhook = await flooded.add('scripted', `r of ${flooded.account.id}`);
    await flooded.publishAndDeliver(1, 25);
    expect(flooded.mails.length).toBe(40);
    const sent = flooded.notifications.sender.sent.all.filter((message) => message.channel.id === webhook);
    expect(sent).toHaveLength(25);
    flooded.notifications.advance(HOUR);
    await flooded.sendDigests();
    expect(flooded.digests.map(({ to }) => to?.[0]?.address).sort()).toEqual(['ada@example.com', 'eve@example.com']);
    expect(other).not.toBe(flooded.channel);
  });

  it('are counted per mailbox, whatever its spelling, also after its channel is added again', async () => {
    const { key } = flooded.account;
    const add = (tag: number) => flooded.add('email', `Ada+${tag}@example.com`);
    await flooded.add('email', 'ADA+twin@example.com');
    await flooded.publishAndDeliver(1, 10);
    expect(flooded.mails).toHaveLength(20);
    for (let turn = 0; turn < 3; turn += 1) {
      const id = await add(turn);
      const path = `/v1/notifications/${id}`;
      for (let n = 0; n < 10; n += 1)
        expect((await flooded.notifications.service.call({ method: 'POST', path: `${path}/test`, key })).status).toBe(
          202,
        );
      await flooded.notifications.deliverDue();
      expect((await flooded.notifications.service.call({ method: 'DELETE', path, key })).status).toBe(204);
    }
    expect(flooded.mails).toHaveLength(20 + 20); // tests are not urgent
    await flooded.publishAndDeliver(1, 3);
    flooded.notifications.advance(HOUR);
    await flooded.sendDigests();
    expect(flooded.digests.map(({ to }) => to?.[0]?.address?.toLowerCase()).sort()).toEqual([
      'ada+twin@example.com',
      'ada@example.com',
    ]);
    for (const { text } of flooded.digests) expect(text?.match(/is now available/g)).toHaveLength(3);
  });

  it('do not wait for the end of an hour that began before the clock was put back', async () => {
    await flooded.publishAndDeliver(1, 21);
    expect(flooded.mails).toHaveLength(20);
    flooded.notifications.advance(-24 * HOUR);
    await flooded.publishAndDeliver(1, 25);
    expect(flooded.mails).toHaveLength(20 + 20);
    await flooded.notifications.of(RepairAfterPutBack).run();
    flooded.notifications.advance(HOUR);
    await flooded.sendDigests();
    expect(flooded.digests).toHaveLength(2);
    expect(await flooded.states()).toEqual({ delivered: 46 });
    flooded.notifications.advance(23 * HOUR);
  });

  it('wait at once, whatever their number and whichever process claims them', async () => {
    await flooded.happens(0, 299);
    await Promise.all(Array.from({ length: 4 }, () => flooded.notifications.deliverDue()));
    expect(flooded.mails).toHaveLength(20);
    const held = await flooded.notifications.rows(
      `select distinct digest_id from deliveries where channel_id = $1 and state = 'pending'`,
      [flooded.channel],
    );
    expect(held).toHaveLength(1);
    flooded.notifications.advance(HOUR);
    await flooded.sendDigests();
    const [digest] = flooded.digests;
    expect(digest?.text?.match(/is now available/g)).toHaveLength(280);
    expect(await flooded.states()).toEqual({ delivered: 300 });
  });

  it('are split into mails of at most a thousand names', async () => {
    await flooded.happens(0, 1_029);
    await flooded.notifications.deliverDue();
    flooded.notifications.advance(HOUR);
    await flooded.sendDigests();
    await flooded.sendDigests();
    const namedIn = flooded.digests.map(({ text }) => text?.match(/\S+(?= is now available)/g) ?? []);
    expect(namedIn.map(({ length }) => length)).toEqual([1_000, 10]);
    expect(new Set(namedIn.flat()).size).toBe(1_010);
    expect(new Set(flooded.digests.map(({ messageId }) => messageId)).size).toBe(2);
    expect(await flooded.states()).toEqual({ delivered: 1_030 });
  });
});
