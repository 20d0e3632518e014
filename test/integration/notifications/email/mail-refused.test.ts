import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MINUTE } from '../../../../src/kernel/clock.js';
import { FloodedMailbox } from '../../../support/servers/flooded-mailbox.js';

let mailbox: FloodedMailbox;
beforeAll(async () => {
  mailbox = await FloodedMailbox.start();
});
beforeEach(() => mailbox.begin());
afterAll(() => mailbox.close());

const wait = async () => {
  const [row] = await mailbox.notifications.rows(
    `select extract(epoch from next_attempt_at - (select max(started_at) from delivery_attempts where delivery_id = d.id))::float as s
     from deliveries d where channel_id = $1`,
    [mailbox.channel],
  );
  return row?.['s'];
};
const blamed = async () => {
  const [row] = await mailbox.notifications.rows(
    'select first_failure_at is not null as blamed from notification_channels where id = $1',
    [mailbox.channel],
  );
  return row?.['blamed'];
};

describe('a mail that the relay rejects', () => {
  it('temporarily (4yz) is retried a minute later, and counts against the channel', async () => {
    mailbox.relay.refusals = { rcptTo: { code: 450, text: 'mailbox busy' } };
    await mailbox.publishAndDeliver(1, 1);
    expect(await mailbox.states()).toEqual({ pending: 1 });
    expect(await blamed()).toBe(true);
    expect(await wait()).toBeGreaterThanOrEqual(47);
    expect(await wait()).toBeLessThanOrEqual(75);
    mailbox.relay.refusals = {};
    mailbox.notifications.advance(2 * MINUTE);
    await mailbox.notifications.deliverDue();
    expect(await mailbox.states()).toEqual({ delivered: 1 });
    expect(await mailbox.lastAttempts()).toEqual(['mail_rejected,ok']);
    expect(await blamed()).toBe(false);
  });

  it('permanently (5yz) fails without a retry', async () => {
    mailbox.relay.refusals = { rcptTo: { code: 550, text: 'no such user' } };
    await mailbox.publishAndDeliver(1, 1);
    expect(await mailbox.states()).toEqual({ failed: 1 });
    expect(await mailbox.lastAttempts()).toEqual(['mail_rejected']);
    expect(await blamed()).toBe(true);
  });

  it('because of the sender (5yz) is retried, and does not count against the channel', async () => {
    mailbox.relay.refusals = { mailFrom: { code: 550, text: 'you may not send' } };
    await mailbox.publishAndDeliver(1, 1);
    expect(await mailbox.states()).toEqual({ pending: 1 });
    expect(await blamed()).toBe(false);
  });
});
