import { describe, expect, it } from '@jest/globals';
import { found } from '../../../src/domains/domain/lifecycle/registration-facts.js';
import { DAY, HOUR } from '../../../src/kernel/clock.js';
import { computeReminders, type LastReminder } from '../../../src/watchlist/domain/expiry-reminders.js';
import type { WatchEntry } from '../../../src/watchlist/domain/watch-entry.js';
import { at, aWatch, facts, inDays, monday, confirmed, registeredAt, publicEvents, noRecentFacts } from './builders.js';

const expiringIn = (days: number) => found({ registeredAt, expiresAt: inDays(days) });
const dayIn = (days: number) => inDays(days).toISOString().slice(0, 10);
const remindersOf = (entry: WatchEntry) =>
  publicEvents(entry).map(({ type, payload }) => {
    const { move, threshold_days, change_seq } = payload as Record<'move' | 'threshold_days' | 'change_seq', unknown>;
    return { type, move, threshold_days, change_seq };
  });

describe('the reminders before an expiry', () => {
  const entry = { ...aWatch('registered'), purpose: 'own', remindDays: null, renewal: null } as const;
  const reminders = (expiresAt: Date, lastReminder: LastReminder | null = null) =>
    computeReminders({ ...entry, lastReminder }, found({ registeredAt, expiresAt }), monday);
  const dueReminder = (expiresAt: Date, last?: LastReminder) => reminders(expiresAt, last).due?.days ?? null;

  it.each([
    [61, null],
    [60, 60],
    [59, 60],
    [30, 30],
    [8, 14],
    [7, 7],
    [2, 3],
    [0.5, 1],
    [-1, null],
  ])('are, with %s days left, due for this threshold in days (null for none): %s', (days, rung) => {
    expect(dueReminder(inDays(days))).toBe(rung);
  });

  it('are due once per threshold, even when the expiry date is corrected by two days', () => {
    const lastReminder = { days: 30, expiresAt: inDays(29) };
    expect(dueReminder(inDays(29), lastReminder)).toBeNull();
    expect(dueReminder(inDays(27), lastReminder)).toBeNull();
    expect(dueReminder(inDays(13), lastReminder)).toBe(14);
  });

  it('start again when the expiry date moves forward by 28 days, but not by 27', () => {
    const lastReminder = { days: 30, expiresAt: inDays(1) };
    expect(dueReminder(at(27 * DAY, inDays(1)), lastReminder)).toBeNull();
    expect(dueReminder(at(28 * DAY, inDays(1)), lastReminder)).toBe(30);
  });

  it('have as next date the day of the next threshold, or none after the last', () => {
    expect(reminders(inDays(100))).toEqual({ due: null, nextAt: inDays(40) });
    expect(reminders(inDays(29), { days: 30, expiresAt: inDays(29) })).toEqual({ due: null, nextAt: inDays(15) });
    expect(reminders(inDays(29))).toEqual({ due: { days: 30, expiresAt: inDays(29) }, nextAt: inDays(15) });
    expect(reminders(inDays(0.5), { days: 1, expiresAt: inDays(0.5) }).nextAt).toBeNull();
  });
});

describe('the reminder about a watched name', () => {
  it('is a separate event, not counted as a change, if the status stays the same', () => {
    const entry = aWatch('registered');
    expect(entry.boundaryAt).toEqual(inDays(240));
    entry.applyFacts(confirmed(facts.registered), inDays(240));
    expect(remindersOf(entry)).toEqual([{ type: 'watchlist.expiring', move: null, threshold_days: 60, change_seq: 0 }]);
    expect(entry.boundaryAt).toEqual(inDays(270));
  });

  it('is part of the status change event if both happen in one check', () => {
    const entry = aWatch('registered');
    entry.applyFacts(confirmed(facts.registered), inDays(271));
    expect(remindersOf(entry)).toEqual([
      { type: 'watchlist.status_changed', move: 'expiring', threshold_days: 30, change_seq: 1 },
    ]);
  });

  it('comes once per threshold in the last two months of a registration', () => {
    const entry = aWatch('registered');
    const rungs: unknown[] = [];
    for (let hour = 230 * 24; hour < 300 * 24; hour += 6) {
      entry.applyFacts(confirmed(facts.registered), at(hour * HOUR));
      rungs.push(...remindersOf(entry).map(({ threshold_days }) => threshold_days));
    }
    expect(rungs).toEqual([60, 30, 14, 7, 3, 1]);
  });

  it('comes only for the nearest threshold if watching starts two days before the expiry', () => {
    const entry = aWatch();
    entry.applyFacts(confirmed(expiringIn(2)), monday);
    entry.applyFacts(confirmed(expiringIn(2)), at(HOUR));
    expect(remindersOf(entry)).toMatchObject([{ move: 'discovered', threshold_days: 3 }]);
  });

  it('is left out if the user wants to acquire the name or the registry auto-renewed it', () => {
    const wanted = aWatch();
    wanted.revise({ purpose: 'acquire' }, noRecentFacts, monday);
    wanted.applyFacts(confirmed(expiringIn(2)), monday);
    expect(remindersOf(wanted)).toMatchObject([{ move: 'discovered', threshold_days: null }]);
    const renewed = aWatch('registered');
    const inGrace = found({ registeredAt, expiresAt: inDays(20), statuses: ['auto renew period'] });
    renewed.applyFacts(confirmed(inGrace), monday);
    expect(remindersOf(renewed)).toMatchObject([{ threshold_days: null }]);
  });

  it('comes on the days that the user chose, even for a name to acquire', () => {
    const entry = aWatch('registered');
    entry.revise({ purpose: 'acquire', remindDays: [90, 7] }, noRecentFacts, monday);
    const rungs: unknown[] = [];
    for (let day = 200; day < 300; day += 1) {
      entry.applyFacts(confirmed(facts.registered), inDays(day));
      rungs.push(...remindersOf(entry).map(({ threshold_days }) => threshold_days));
    }
    expect(rungs).toEqual([90, null, 7]);
    entry.revise({ remindDays: [] }, noRecentFacts, inDays(299));
    entry.applyFacts(confirmed(facts.registered), at(12 * HOUR, inDays(299)));
    expect(remindersOf(entry)).toEqual([]);
  });

  it('uses the user’s renewal date if the registry publishes none, and changes no status', () => {
    const entry = aWatch();
    const on = dayIn(29);
    entry.revise({ renewal: { on, note: 'Invoice.' } }, noRecentFacts, monday);
    const dateless = confirmed(found({ registeredAt }));
    entry.applyFacts(dateless, monday);
    const [event, ...others] = publicEvents(entry);
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      type: 'watchlist.expiring',
      payload: { status: 'registered', expires_at: null, threshold_days: 30, renewal: { on, note: 'Invoice.' } },
    });
    expect(entry.boundaryAt).toEqual(at(-14 * DAY, new Date(on)));
    entry.applyFacts(dateless, inDays(40)); // past the date
    expect(entry).toMatchObject({ status: 'registered', phase: 'registered' });
    expect(publicEvents(entry)).toEqual([]);
    entry.revise({ renewal: { on: dayIn(40 + 59), note: null } }, noRecentFacts, inDays(40));
    entry.applyFacts(dateless, inDays(41));
    expect(remindersOf(entry)).toMatchObject([{ threshold_days: 60 }]);
  });

  it('uses the registry’s expiry date, not the user’s date, once the registry publishes one', () => {
    const entry = aWatch();
    entry.revise({ renewal: { on: dayIn(2), note: null } }, noRecentFacts, monday);
    entry.applyFacts(confirmed(expiringIn(59)), monday);
    expect(publicEvents(entry)).toMatchObject([{ payload: { threshold_days: 60 } }]);
    expect(entry.boundaryAt).toEqual(inDays(29));
  });

  it('comes again in the next year', () => {
    const entry = aWatch();
    entry.applyFacts(confirmed(expiringIn(1)), monday);
    entry.applyFacts(confirmed(expiringIn(366)), monday);
    entry.applyFacts(confirmed(expiringIn(366)), inDays(310));
    expect(remindersOf(entry).map(({ threshold_days }) => threshold_days)).toEqual([1, null, 60]);
  });
});
