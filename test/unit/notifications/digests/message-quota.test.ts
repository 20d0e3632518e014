import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MINUTE } from '../../../../src/kernel/clock.js';
import { MailboxModel } from './mailbox-model.js';

const QUOTA = { messages: 20, perName: 5 };
const HOUR_IN_MINUTES = 60;

interface Sent {
  readonly name: string;
  readonly urgent: boolean;
  readonly minute: number;
}
const message = (names: string, lastMinute: number): fc.Arbitrary<Sent> =>
  fc.record({
    name: fc.constantFrom(...names),
    urgent: fc.boolean(),
    minute: fc.integer({ min: 0, max: lastMinute }),
  });
const inOrder = (messages: readonly Sent[]) => messages.toSorted((one, other) => one.minute - other.minute);
const played = (messages: readonly Sent[]) => {
  const mailbox = new MailboxModel(QUOTA);
  return messages.map((one) => ({ ...one, ...mailbox.receives(one, one.minute * MINUTE) }));
};
const many = { maxLength: 150 };

describe('single messages to a receiver', () => {
  it('are a bounded number in each window: so many urgent ones, as many others, and few about one name', () => {
    fc.assert(
      fc.property(fc.array(message('abcdefgh', 200), many), (given) => {
        const sent = played(inOrder(given)).filter((one) => one.isSent);
        for (const [, places] of Map.groupBy(sent, ({ window, urgent }) => `${window} ${urgent}`)) {
          const isUrgent = places[0]?.urgent === true;
          const ofNames = isUrgent ? QUOTA.messages - QUOTA.messages / QUOTA.perName : 0;
          expect(places.length).toBeLessThanOrEqual(QUOTA.messages + ofNames);
          for (const [, ofName] of Map.groupBy(places, ({ name }) => name))
            expect(ofName.length).toBeLessThanOrEqual(QUOTA.perName);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('wait for nothing if they are urgent, unless enough went in the hour and one about their name, or enough about it', () => {
    fc.assert(
      fc.property(fc.array(message('abcdefgh', 200), many), (given) => {
        const all = played(inOrder(given));
        all.forEach(({ name, window }, i) => {
          const one = all[i];
          if (!one?.urgent || one.isSent) return;
          const before = all.slice(0, i).filter((other) => other.urgent && other.isSent && other.window === window);
          const ofName = before.filter((other) => other.name === name).length;
          const isFull = before.length >= QUOTA.messages && ofName > 0;
          expect(isFull || ofName === QUOTA.perName).toBe(true);
        });
      }),
      { numRuns: 300 },
    );
  });

  it('wait for no busy names, however many, if they are the first urgent ones about theirs', () => {
    const mailbox = new MailboxModel(QUOTA);
    const isSent = (name: string, urgent = true) => mailbox.receives({ name, urgent }, 0).isSent;
    for (const busy of 'abcd') for (let n = 0; n < 6; n += 1) isSent(busy);
    const names = Array.from({ length: 17 }, (_, n) => `wanted-${n}`);
    expect(names.map((name) => isSent(name))).toEqual([...Array.from({ length: 16 }, () => true), false]);
    expect(isSent('wanted-0')).toBe(false);
    expect(names.map((name) => isSent(name, false))).toEqual(names.map(() => true));
  });

  it('about different names are so many, however urgent', () => {
    const mailbox = new MailboxModel(QUOTA);
    const sent = Array.from({ length: 60 }, (_, n) => mailbox.receives({ name: `${n}`, urgent: true }, 0).isSent);
    expect(sent.filter((one) => one)).toHaveLength(QUOTA.messages);
  });

  it('wait until the window is over at most', () => {
    fc.assert(
      fc.property(fc.array(message('abcdefgh', 200), many), (given) => {
        for (const { isSent, minute, endsAtMinute } of played(inOrder(given)))
          if (!isSent) expect(endsAtMinute - minute).toBeLessThanOrEqual(HOUR_IN_MINUTES);
      }),
      { numRuns: 300 },
    );
  });

  it('are not delayed by one busy name, whatever happens to it', () => {
    const others = fc.array(message('abcd', 59), { maxLength: QUOTA.messages - QUOTA.perName });
    fc.assert(
      fc.property(others, fc.array(message('x', 59), many), (given, busy) => {
        const isOfOther = ({ name }: Sent) => name !== 'x';
        const alone = played(inOrder(given));
        const together = played(inOrder([...given, ...busy])).filter(isOfOther);
        expect(together.map(({ isSent }) => isSent)).toEqual(alone.map(({ isSent }) => isSent));
      }),
      { numRuns: 300 },
    );
  });

  it('are not delayed by routine ones if they are urgent, and the other way round', () => {
    fc.assert(
      fc.property(fc.array(message('abcdefgh', 59), many), fc.boolean(), (given, kept) => {
        const isKept = ({ urgent }: Sent) => urgent === kept;
        const alone = played(inOrder(given.filter(isKept)));
        const together = played(inOrder(given)).filter(isKept);
        expect(together.map(({ isSent }) => isSent)).toEqual(alone.map(({ isSent }) => isSent));
      }),
      { numRuns: 300 },
    );
  });

  it('about channels count, and have no name that could be busy', () => {
    const mailbox = new MailboxModel(QUOTA);
    const tests = Array.from({ length: 21 }, () => mailbox.receives({ name: null, urgent: false }, 0).isSent);
    expect(tests).toEqual([...Array.from({ length: 20 }, () => true), false]);
    expect(mailbox.receives({ name: 'a', urgent: true }, MINUTE).isSent).toBe(true);
  });
});
