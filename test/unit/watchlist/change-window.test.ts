import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { found } from '../../../src/domains/language.js';
import { HOUR } from '../../../src/kernel/clock.js';
import { WatchEntry } from '../../../src/watchlist/domain/watch-entry.js';
import { changeWindowId, type CommonChange } from '../../../src/watchlist/domain/change-window.js';
import { aNewWatch, at, monday } from './builders.js';
import { CommonChanges, type SeenChange } from './common-changes.js';

const LIMIT = 3;
/** What becomes of changes, each written as the name and its minute: `a0`. */
const becomes = (...changes: readonly string[]) => {
  const common = new CommonChanges(LIMIT);
  return changes.map((text) => common.sees({ name: text.charAt(0), minute: Number(text.slice(1)) }));
};
/** The same, with the messages about many names that are sent until three hours after. */
const sends = (...changes: readonly string[]) => {
  const common = new CommonChanges(LIMIT);
  for (const text of changes) common.sees({ name: text.charAt(0), minute: Number(text.slice(1)) });
  common.wait(180);
  return common.messages.map(({ names, listed, minute }) => `${names} at ${minute}: ${listed.join('')}`);
};

describe('the same change of many names', () => {
  it('is sent name by name up to the limit, then says that there are many, then is held', () => {
    expect(becomes('a0', 'b1', 'c2', 'd3', 'e4', 'f59')).toEqual([
      'sent',
      'sent',
      'sent',
      'sent, 3 others',
      'held',
      'held',
    ]);
  });

  it('lists the held names in a message when the hour is over, also if nothing follows', () => {
    expect(sends('a0', 'b1', 'c2', 'd3')).toEqual([]);
    expect(sends('a0', 'b1', 'c2', 'd3', 'f4', 'e59')).toEqual(['2 at 60: ef']);
  });

  it('is held in the next hour too, whose message lists what came after, until an hour has none', () => {
    expect(sends('a0', 'b1', 'c2', 'd3', 'e4', 'f61', 'e80', 'g121', 'h242')).toEqual([
      '1 at 60: e',
      '2 at 120: ef',
      '1 at 180: g',
    ]);
    expect(becomes('a0', 'b1', 'c2', 'd3', 'e4', 'f61', 'e80', 'g121', 'h242').at(-1)).toBe('sent');
  });

  it('is not made by one name that changes again and again, and never holds back a name that was sent', () => {
    expect(becomes('a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'b6', 'c7')).toEqual(Array.from({ length: 8 }, () => 'sent'));
    expect(becomes('a0', 'b1', 'c2', 'd3', 'e4', 'a5', 'd6')).toEqual([
      'sent',
      'sent',
      'sent',
      'sent, 3 others',
      'held',
      'sent',
      'sent',
    ]);
  });

  it('is reported at once when the clock was put back to before the hour began', () => {
    const common = new CommonChanges(LIMIT);
    for (const name of 'abcdef') common.sees({ name, minute: 30 });
    common.putClockBack(24 * 60);
    expect(common.messages).toEqual([{ names: 2, listed: ['e', 'f'], since: -1410, minute: -1410, elapsed: 30 }]);
  });

  it('begins another hour then if none is held', () => {
    const common = new CommonChanges(LIMIT);
    for (const name of 'abcd') common.sees({ name, minute: 30 });
    common.putClockBack(24 * 60);
    expect(common.sees({ name: 'e', minute: common.clock })).toBe('sent');
  });

  it('counts a change that read the clock before one that it had to wait for', () => {
    expect(becomes('a1', 'b1', 'c1', 'd1', 'e0.5').at(-1)).toBe('held');
  });

  it('is nothing special when the names are far apart', () => {
    expect(becomes('a0', 'b1', 'c2', 'd61', 'e62', 'f63')).toEqual(Array.from({ length: 6 }, () => 'sent'));
  });

  const changes = fc.array(
    fc.record({
      name: fc.constantFrom(...'abcdefghij'),
      pause: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 90 })),
    }),
    { maxLength: 60 },
  );
  const played = (given: readonly { name: string; pause: number }[]) => {
    const common = new CommonChanges(LIMIT);
    let minute = 0;
    const seen = given.map(({ name, pause }): SeenChange & { outcome: string } => {
      minute += pause;
      return { name, minute, outcome: common.sees({ name, minute }) };
    });
    common.wait(180);
    return { seen, messages: common.messages };
  };

  it('is never silent: each change is sent, or its name is in the message at the end of its hour', () => {
    fc.assert(
      fc.property(changes, (given) => {
        const { seen, messages } = played(given);
        for (const { name, minute, outcome } of seen) {
          const next = messages.find((message) => message.minute > minute && message.since <= minute);
          if (outcome !== 'held') continue;
          expect(next?.listed).toContain(name);
          expect((next?.minute ?? Infinity) - minute).toBeLessThanOrEqual(60);
        }
        for (const { names, listed, since, minute } of messages) {
          const held = seen.filter((one) => one.outcome === 'held' && one.minute >= since && one.minute < minute);
          expect([...listed].sort()).toEqual([...new Set(held.map(({ name }) => name))].sort());
          expect(names).toBe(listed.length);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('is reported within an hour, counted from when the clock was put back the last time, if it was', () => {
    const steps = fc.array(
      fc.record({
        name: fc.constantFrom(...'abcdefghij'),
        pause: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 90 })),
        back: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 90 }), fc.integer({ min: 0, max: 3_000 })),
      }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(steps, (given) => {
        const common = new CommonChanges(LIMIT);
        const putBack: number[] = [];
        const held: { name: string; elapsed: number; reported: number }[] = [];
        for (const { name, pause, back } of given) {
          if (back > 0) {
            putBack.push(common.elapsed);
            common.putClockBack(back);
          }
          const outcome = common.sees({ name, minute: common.clock + pause });
          const { elapsed, messages } = common;
          if (outcome === 'held') held.push({ name, elapsed, reported: messages.length });
        }
        common.wait(180);
        for (const { name, elapsed, reported } of held) {
          const next = common.messages[reported];
          expect(next?.listed).toContain(name);
          const at = next?.elapsed ?? Infinity;
          const from = Math.max(elapsed, ...putBack.filter((one) => one <= at));
          expect(at - from).toBeLessThanOrEqual(61); // a minute ahead is no sign that the clock was put back
        }
        for (const { since, minute } of common.messages) expect(since).toBeLessThanOrEqual(minute);
      }),
      { numRuns: 500 },
    );
  });

  it('is held only behind enough other names, or in the hour after a message', () => {
    fc.assert(
      fc.property(changes, (given) => {
        const { seen, messages } = played(given);
        seen.forEach(({ name, minute, outcome }, i) => {
          if (outcome !== 'held') return;
          const others = seen.slice(0, i).filter((one) => one.name !== name && minute - one.minute < 60);
          const isAfterMessage = messages.some((one) => one.minute <= minute && minute - one.minute < 60);
          expect(isAfterMessage || new Set(others.map((one) => one.name)).size > LIMIT).toBe(true);
        });
      }),
      { numRuns: 500 },
    );
  });

  it('is bounded: one name has no more than its own changes, new names are the limit and one an hour', () => {
    fc.assert(
      fc.property(changes, (given) => {
        const { seen, messages } = played(given);
        for (const { minute } of seen) {
          const inHour = (at: number) => at >= minute && at < minute + 60;
          const sent = seen.filter((one) => one.outcome !== 'held' && inHour(one.minute));
          expect(new Set(sent.map(({ name }) => name)).size).toBeLessThanOrEqual(2 * (LIMIT + 1)); // of two windows
          expect(messages.filter((one) => inHour(one.minute)).length).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('what counts as the same change', () => {
  const change: CommonChange = {
    accountId: 'acc_1',
    operator: 'acme',
    intent: 'own' as const,
    tags: ['b', 'a'],
    kind: 'registrar' as const,
    after: { name: 'Two, Inc.', iana_id: '2' },
  };
  const id = changeWindowId(change);

  it('is the same new value, whatever the former one and the order of tags', () => {
    expect(changeWindowId({ ...change, tags: ['a', 'b'] })).toBe(id);
    const ds = (digest: string) => [{ key_tag: 1, algorithm: 13, digest_type: 2, digest }];
    const [one, same, other] = ['AA', 'AA', 'BB'].map((digest) =>
      changeWindowId({ ...change, kind: 'ds', after: ds(digest) }),
    );
    expect(one).toBe(same);
    expect(one).not.toBe(other);
    const transfer = (time: string) => changeWindowId({ ...change, kind: 'last_transfer', after: time });
    expect(transfer('2026-11-23T09:00:00.000Z')).not.toBe(transfer('2026-11-23T09:00:01.000Z'));
  });

  it('is of one account, operator, intent and tags', () => {
    const ids = [
      changeWindowId({ ...change, after: { name: 'Three', iana_id: '3' } }),
      changeWindowId({ ...change, operator: 'umbrella' }),
      changeWindowId({ ...change, accountId: 'acc_2' }),
      changeWindowId({ ...change, intent: 'monitor' }),
      changeWindowId({ ...change, tags: [] }),
    ];
    expect(new Set([id, ...ids]).size).toBe(6);
  });
});

describe('EPP statuses that change', () => {
  const facts = found({ registeredAt: at(-1_000 * HOUR), expiresAt: at(9_000 * HOUR), statuses: ['client hold'] });
  const confirmed = { facts, source: 'rdap', observedAt: monday, confirmedAt: monday };
  const evidenced = { ...confirmed, previousConfirmedAt: null, evidence: [] };

  it.each([
    [['active'], true],
    [['client hold', 'client transfer prohibited'], undefined],
  ])('from %j are part of a move where the phase was another one', (before, partOfMove) => {
    const entry = WatchEntry.start({ ...aNewWatch(), intent: 'own' }, monday);
    entry.applyFacts(evidenced, monday);
    entry.releaseEvents();
    entry.notifyRecordChange({ kind: 'statuses', before, after: ['client hold'] }, confirmed, monday);
    expect(entry.phase).toBe('hold');
    expect(entry.releaseEvents().map(({ payload }) => (payload as Record<string, unknown>)['part_of_move'])).toEqual([
      partOfMove,
    ]);
  });
});
