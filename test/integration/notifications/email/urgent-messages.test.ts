import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Clock, HOUR, MINUTE } from '../../../../src/kernel/clock.js';
import { DeliveriesService } from '../../../../src/notifications/deliveries/deliveries.service.js';
import { anEvent } from '../../../support/builders/notification-events.js';
import { running } from '../../../support/running.js';
import { FloodedMailbox } from '../../../support/servers/flooded-mailbox.js';
import { MailboxModel } from '../../../unit/notifications/digests/mailbox-model.js';

const QUOTA = { messages: 20, perName: 5 };

const flooded = running(() => FloodedMailbox.start());
beforeEach(() => flooded.begin());

/** `urgent` drops, the others change their phase. */
const happens = (...messages: readonly { readonly name: string; readonly urgent: boolean }[]) => {
  const about = { accountId: flooded.account.id, at: flooded.notifications.of(Clock).now() };
  const renewed = { status: 'registered', previous_status: 'expiring', phase: 'registered', move: 'renewed' } as const;
  return flooded.notifications.happens(
    ...messages.map(({ name, urgent }) => {
      const named = { entry_id: `wl_${name}`, domain: `${name}.example`, domain_unicode: `${name}.example` };
      return urgent
        ? anEvent(named, about)
        : anEvent({ ...named, ...renewed }, { ...about, type: 'watchlist.status_changed' });
    }),
  );
};
const times = (count: number, message: { readonly name: string; readonly urgent: boolean }) =>
  Array.from({ length: count }, () => message);
const subjects = () => flooded.mails.map(({ subject }) => subject);
const isAvailable = (name: string) => `[Namewatch] ${name}.example is now available`;

describe('an urgent mail', () => {
  it('is among the first lines of the digest where it has to wait', async () => {
    await happens(...Array.from({ length: 30 }, (_, n) => ({ name: `routine-${n}`, urgent: false })));
    flooded.notifications.advance(MINUTE);
    await happens(...Array.from({ length: 25 }, (_, n) => ({ name: `wanted-${n}`, urgent: true })));
    await flooded.notifications.deliverDue();
    expect(flooded.mails).toHaveLength(40);
    flooded.notifications.advance(HOUR);
    await flooded.sendDigests();
    const [digest, ...others] = flooded.digests.filter(({ messageId }) => messageId?.includes(flooded.channel));
    expect(others).toEqual([]);
    const lines = digest?.text?.match(/\S+\.example (?:is now available|has been renewed)/g) ?? [];
    expect(lines.map((line) => line.endsWith('available'))).toEqual([
      ...Array.from({ length: 5 }, () => true),
      ...Array.from({ length: 10 }, () => false),
    ]);
    expect(await flooded.states()).toEqual({ delivered: 55 });
  });

  it('that is sent again takes no place of a new one', async () => {
    await happens(...Array.from({ length: 60 }, (_, n) => ({ name: `old-${n}`, urgent: true })));
    await flooded.notifications.deliverDue();
    flooded.notifications.advance(2 * HOUR);
    await flooded.sendDigests();
    flooded.notifications.advance(2 * HOUR);
    const before = flooded.mails.length; // digests of earlier tests among them
    const { account, channel, notifications } = flooded;
    const now = notifications.of(Clock).now();
    const from = new Date(now.getTime() - 5 * HOUR);
    expect(await notifications.of(DeliveriesService).replay(account.id, channel, from, now)).toBe(60);
    await notifications.deliverDue();
    expect(flooded.mails.length - before).toBe(20);
    await happens({ name: 'wanted', urgent: true });
    await notifications.deliverDue();
    expect(subjects().slice(before + 20)).toEqual([isAvailable('wanted')]);
  });
});

describe('the statements that count mails', () => {
  it('obey the rule of the domain', async () => {
    const given = fc.array(
      fc.record({
        name: fc.constantFrom(...'abcdefgh'),
        urgent: fc.boolean(),
        count: fc.constantFrom(1, 1, 2, 6, 9),
        pause: fc.constantFrom(0, 13, 25, 61),
      }),
      { maxLength: 12 },
    );
    const start = flooded.notifications.of(Clock).now().getTime();
    const property = fc.asyncProperty(given, async (steps) => {
      await flooded.begin();
      const model = new MailboxModel(QUOTA);
      let expected = 0;
      for (const { name, urgent, count, pause } of steps) {
        flooded.notifications.advance(pause * MINUTE);
        await happens(...times(count, { name, urgent }));
        const at = flooded.notifications.of(Clock).now().getTime() - start;
        await flooded.notifications.deliverDue();
        for (let i = 0; i < count; i += 1) expected += model.receives({ name, urgent }, at).isSent ? 1 : 0;
        expect(flooded.mails.length).toBe(expected);
      }
      const [held] = await flooded.notifications.rows(
        `select count(*)::int as n from deliveries where channel_id = $1 and state = 'pending' and digest_id is not null`,
        [flooded.channel],
      );
      expect(held?.['n']).toBe(steps.reduce((sum, { count }) => sum + count, 0) - expected);
    });
    await fc.assert(property, { numRuns: process.env['ALL_CASES'] === '1' ? 30 : 8 });
  }, 120_000);
});
