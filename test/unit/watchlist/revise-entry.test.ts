import { describe, expect, it } from '@jest/globals';
import { TimeUnits } from '../../../src/kernel/time-units.js';
import { FailureAlertPolicy } from '../../../src/watchlist/domain/failure-alert-policy.js';
import type { HistoryInterval } from '../../../src/watchlist/domain/watch-events.js';
import type { WatchEntry } from '../../../src/watchlist/domain/watch-entry.js';
import { at, aWatch, recentFacts, noRecentFacts, facts, inDays, monday, confirmed, publicEvents } from './builders.js';

const DAY = 86_400_000;
const movesOf = (entry: WatchEntry) => publicEvents(entry).map(({ payload }) => (payload as { move: string }).move);
const historyOf = (entry: WatchEntry) =>
  entry.releaseEvents().flatMap(({ type, payload }) => (type === 'history.opened' ? [payload as HistoryInterval] : []));

describe('a changed expiring window of an entry', () => {
  it('changes the status at once, and the event names the move "reclassified"', () => {
    const entry = aWatch('registered');
    entry.revise({ expiringWindowDays: 365 }, recentFacts(facts.registered), monday);
    expect(entry).toMatchObject({ status: 'expiring', changeSeq: 1 });
    expect(movesOf(entry)).toEqual(['reclassified']);
    entry.revise({ expiringWindowDays: 30 }, recentFacts(facts.registered), monday);
    expect(entry).toMatchObject({ status: 'registered', changeSeq: 2 });
    expect(movesOf(entry)).toEqual(['reclassified']);
  });

  it('causes no event if the status stays the same', () => {
    const entry = aWatch('redemption');
    entry.revise({ expiringWindowDays: 365 }, recentFacts(facts.redemption), monday);
    expect(movesOf(entry)).toEqual([]);
  });

  it('is not named as the cause of a status change that was due already', () => {
    const entry = aWatch('registered');
    entry.revise({ expiringWindowDays: 40 }, recentFacts(facts.registered), inDays(271));
    expect(movesOf(entry)).toEqual(['expiring']);
  });

  it('takes effect only with the first answer if there was none before', () => {
    const entry = aWatch();
    entry.revise({ expiringWindowDays: 365 }, noRecentFacts, monday);
    entry.applyFacts(confirmed(facts.registered), monday);
    expect(movesOf(entry)).toEqual(['discovered']);
  });
});

describe('a paused entry', () => {
  it('publishes nothing and keeps its status, and publishes one event when it is resumed', () => {
    const entry = aWatch('registered');
    entry.revise({ paused: true }, recentFacts(facts.registered), monday);
    for (const situation of ['redemption', 'pendingDelete', 'available'] as const)
      entry.applyFacts(confirmed(facts[situation]), monday);
    entry.notifyFailing({ code: 'registry_timeout', since: monday, failures: 9 }, null, monday);
    expect(publicEvents(entry)).toEqual([]);
    expect(entry.status).toBe('registered');
    entry.revise({ paused: false }, recentFacts(facts.available), monday);
    expect(movesOf(entry)).toEqual(['dropped']);
  });

  it('waits for the next check if it is resumed without recent facts', () => {
    const entry = aWatch('available');
    entry.revise({ paused: true }, recentFacts(facts.available), monday);
    entry.revise({ paused: false }, noRecentFacts, inDays(40));
    expect(movesOf(entry)).toEqual([]);
    expect(entry.boundaryAt).toEqual(inDays(40));
  });
});

describe('the history of an entry', () => {
  it('begins with the first answer, and continues with each change', () => {
    const entry = aWatch();
    entry.applyFacts(confirmed(facts.registered), monday);
    entry.applyFacts({ ...confirmed(facts.redemption, at(DAY)), previousConfirmedAt: at(DAY / 2) }, at(DAY));
    expect(historyOf(entry)).toMatchObject([
      { changeSeq: 0, status: 'registered', move: null, firstSeenAt: monday, formerLastSeenAt: null },
      { changeSeq: 1, phase: 'redemption', move: 'deletion_started', formerLastSeenAt: at(DAY / 2) },
    ]);
  });

  it('gets no new item from a check without changes', () => {
    const entry = aWatch('registered');
    entry.applyFacts(confirmed(facts.registered), monday);
    expect(historyOf(entry)).toEqual([]);
  });
});

describe('the watcher of a name whose checks fail', () => {
  const failing = { code: 'registry_timeout', since: monday, failures: 3 };

  it('is notified once of the failure and once of the recovery', () => {
    const entry = aWatch('registered');
    for (let n = 0; n < 3; n += 1) entry.notifyFailing(failing, confirmed(facts.registered), monday);
    for (let n = 0; n < 3; n += 1) entry.notifyRecovered(failing, confirmed(facts.registered), inDays(1));
    expect(publicEvents(entry)).toMatchObject([
      {
        type: 'watchlist.check_failing',
        payload: { status: 'registered', code: 'registry_timeout', since: monday.toISOString(), change_seq: 0 },
      },
      { type: 'watchlist.check_recovered', payload: { code: 'registry_timeout', move: null } },
    ]);
  });

  it('is notified even if the registry has never answered', () => {
    const entry = aWatch();
    entry.notifyFailing(failing, null, monday);
    expect(publicEvents(entry)).toMatchObject([{ payload: { source: null, observed_at: null, expires_at: null } }]);
  });

  it('is not notified of the recovery if the failure was not reported', () => {
    const entry = aWatch('registered');
    entry.notifyRecovered(failing, null, monday);
    expect(publicEvents(entry)).toEqual([]);
  });
});

describe('failing checks', () => {
  const policy = new FailureAlertPolicy(TimeUnits.REAL);
  const failing = (failures: number) => ({ code: 'registry_timeout', since: monday, failures });

  it.each<[string, number, number, number, boolean, boolean]>([
    ['are reported after three failures in an hour', 5, 3, 60, false, true],
    ['are not reported after two failures', 5, 2, 600, false, false],
    ['are not reported in the first hour', 5, 30, 59, false, false],
    ['are not reported before the interval of the name is over', 360, 30, 359, false, false],
    ['are reported once the interval of the name is over', 360, 3, 360, false, true],
    ['are not reported on the first day if the whole registry is down', 5, 99, 1_439, true, false],
    ['are reported after a day even if the whole registry is down', 5, 3, 1_440, true, true],
  ])('%s', (_, interval, failures, minutes, isOperatorAway, isNotified) => {
    expect(policy.shouldAlert(interval, failing(failures), isOperatorAway, at(minutes * 60_000))).toBe(isNotified);
  });
});

describe('an entry, after its account’s suspension', () => {
  it('is evaluated again at the next check, and publishes nothing about the suspension', () => {
    const entry = aWatch('registered');
    entry.catchUp(monday);
    expect(entry).toMatchObject({ boundaryAt: monday, failureNotified: false });
    expect(entry.releaseEvents()).toEqual([]);
  });
});
