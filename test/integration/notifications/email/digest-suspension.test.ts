import { beforeEach, describe, expect, it } from '@jest/globals';
import { after, Clock, HOUR, MINUTE } from '../../../../src/kernel/clock.js';
import { UnitOfWork } from '../../../../src/kernel/unit-of-work.js';
import { SyncSuspendedDeliveries } from '../../../../src/notifications/deliveries/sync-suspended-deliveries.js';
import { DigestRepository } from '../../../../src/notifications/deliveries/digests.repository.js';
import { SuspendedDeliveryRepository } from '../../../../src/notifications/deliveries/suspended-deliveries.repository.js';
import { running } from '../../../support/running.js';
import { FloodedMailbox } from '../../../support/servers/flooded-mailbox.js';

const ALL = 24;
const flooded = running(() => FloodedMailbox.start());
beforeEach(async () => {
  await flooded.begin();
  await flooded.publishAndDeliver(1, 20);
  flooded.notifications.advance(MINUTE);
  await flooded.happens(21, ALL);
});

const suspend = () =>
  flooded.notifications.rows('update accounts set suspended_at = now() where id = $1', [flooded.account.id]);
const resume = async () => {
  await flooded.notifications.rows('update accounts set suspended_at = null where id = $1', [flooded.account.id]);
  await flooded.notifications.of(SyncSuspendedDeliveries).run();
};
const pauseSuspended = () => flooded.notifications.of(SuspendedDeliveryRepository).pauseBatch(100);
const sendAll = async () => {
  await flooded.notifications.deliverDue();
  flooded.notifications.advance(HOUR);
  await flooded.sendDigests();
  await flooded.notifications.deliverDue();
};

/** Adds the pending deliveries to a digest, and commits once `beforeCommit` resolves. */
async function addToDigest(beforeCommit: () => Promise<unknown>): Promise<void> {
  const { notifications, channel } = flooded;
  const pending = await notifications.rows(`select id from deliveries where channel_id = $1 and state = 'pending'`, [
    channel,
  ]);
  const now = notifications.of(Clock).now();
  await notifications.of(UnitOfWork).run(async () => {
    const digest = { id: crypto.randomUUID(), kind: 'mail', channelId: channel, dueAt: after(now, HOUR) } as const;
    const ids = pending.map(({ id }) => String(id));
    await notifications.of(DigestRepository).hold(ids, digest, [{ urgent: true, entryId: null }], now);
    await beforeCommit();
  });
}

describe('a delivery of a suspended account', () => {
  it('is sent with its digest when it was added to that while the suspension waited for its lock', async () => {
    await suspend();
    let pausing = Promise.resolve(0);
    await addToDigest(async () => {
      pausing = pauseSuspended();
      const isWaiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
                           and query like '%suspended_deliveries%'`;
      await flooded.notifications.until(isWaiting, [], 1);
    });
    await pausing;
    expect(await flooded.states()).toEqual({ delivered: 20, pending: ALL - 20 });
    flooded.notifications.advance(HOUR);
    await flooded.sendDigests();
    await resume();
    await sendAll();
    expect(await flooded.states()).toEqual({ delivered: ALL });
  });

  it('is paused, and sent after the suspension, when it was claimed before and would be deferred after', async () => {
    const claims = await flooded.notifications.claim();
    await suspend();
    await pauseSuspended();
    await Promise.all(claims.map((claim) => flooded.notifications.deliver(claim)));
    expect(await flooded.states()).toEqual({ delivered: 20, paused: ALL - 20 });
    await resume();
    await sendAll();
    expect(await flooded.states()).toEqual({ delivered: ALL });
  });

  it('is sent after the suspension when its digest was postponed', async () => {
    await flooded.notifications.deliverDue();
    await suspend();
    flooded.notifications.advance(HOUR);
    await flooded.notifications.of(SyncSuspendedDeliveries).run();
    await flooded.sendDigests();
    expect(await flooded.states()).toEqual({ delivered: 20, pending: ALL - 20 });
    await resume();
    await sendAll();
    expect(await flooded.states()).toEqual({ delivered: ALL });
  });
});
