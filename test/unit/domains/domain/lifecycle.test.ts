import { describe, expect, it } from '@jest/globals';
import {
  deriveCheckStatus,
  type Lifecycle,
  deriveLifecycle,
  nextTimedChange,
} from '../../../../src/domains/domain/lifecycle/lifecycle.js';
import {
  absent,
  found,
  premium,
  reserved,
  areFactsEqual,
} from '../../../../src/domains/domain/lifecycle/registration-facts.js';
import { after, DAY } from '../../../../src/kernel/clock.js';

const now = new Date('2026-11-21T12:00:00Z');
const inDays = (days: number, milliseconds = 0) => after(now, days * DAY + milliseconds);
const expiring = (expiresAt: Date) => found({ expiresAt, statuses: ['active'] });
const format = ({ status, phase }: Lifecycle) => `${status}/${phase}`;

describe('status and phase', () => {
  it.each([
    ['nothing registered', absent, 'available/available'],
    ['nothing registered, at a price', premium, 'available/available'],
    [
      'a restore under way',
      found({ statuses: ['pending restore', 'redemption period'] }),
      'pending_delete/pending_restore',
    ],
    [
      'redemption, which sets both',
      found({ statuses: ['pending delete', 'redemption period'] }),
      'pending_delete/redemption',
    ],
    ['pending delete', found({ statuses: ['client hold', 'pending delete'] }), 'pending_delete/pending_delete'],
    ['quarantine, still to be restored', found({ quarantine: 'redemption' }), 'pending_delete/redemption'],
    ['quarantine, lost', found({ quarantine: 'pending_delete' }), 'pending_delete/pending_delete'],
    [
      'the auto-renew period',
      found({ statuses: ['auto renew period'], expiresAt: inDays(365) }),
      'expiring/expired_grace',
    ],
    [
      'pending delete beats grace',
      found({ statuses: ['auto renew period', 'pending delete'] }),
      'pending_delete/pending_delete',
    ],
    ['expired a moment ago', expiring(inDays(0, -1)), 'expiring/expired_grace'],
    ['expired 90 days ago', expiring(inDays(-90)), 'expiring/expired_grace'],
    ['expired longer ago than any grace', expiring(inDays(-90, -1)), 'registered/registered'],
    ['expiring this instant', expiring(now), 'expiring/expiring'],
    ['expiring at the edge of the window', expiring(inDays(30)), 'expiring/expiring'],
    ['expiring just outside the window', expiring(inDays(30, 1)), 'registered/registered'],
    ['expiring while on hold', found({ statuses: ['server hold'], expiresAt: inDays(5) }), 'expiring/expiring'],
    ['reserved', reserved, 'registered/reserved'],
    ['on hold', found({ statuses: ['active', 'client hold'] }), 'registered/hold'],
    ['inactive', found({ statuses: ['inactive'] }), 'registered/registered'],
    ['pending create', found({ statuses: ['pending create'] }), 'registered/registered'],
    ['no status and no expiry', found(), 'registered/registered'],
  ])('are derived for %s', (_evidence, facts, outcome) => {
    expect(format(deriveLifecycle(facts, 30, now))).toBe(outcome);
  });

  it('depend on the expiring window of the entry', () => {
    const facts = expiring(inDays(200));
    expect([1, 199, 200, 365].map((window) => deriveLifecycle(facts, window, now).status)).toEqual([
      'registered',
      'registered',
      'expiring',
      'expiring',
    ]);
  });

  it('of a check distinguish reserved names', () => {
    expect([reserved, absent, found()].map((facts) => deriveCheckStatus(facts, 30, now))).toEqual([
      'reserved',
      'available',
      'registered',
    ]);
  });
});

describe('the next timed change', () => {
  it.each([
    ['the window opening', 100, 70],
    ['the expiry', 10, 10],
    ['the end of grace', -20, 70],
  ])('is %s', (_what, expiresInDays, boundaryInDays) => {
    const facts = expiring(inDays(expiresInDays));
    const boundary = nextTimedChange(facts, 30, now);
    expect(Math.round(((boundary?.getTime() ?? 0) - now.getTime()) / DAY)).toBe(boundaryInDays);
    expect(format(deriveLifecycle(facts, 30, boundary ?? now))).not.toBe(
      format(deriveLifecycle(facts, 30, after(boundary ?? now, -1))),
    );
  });

  it('is null without an expiry date, for an available name and long after expiry', () => {
    expect([found(), absent, expiring(inDays(-91))].map((facts) => nextTimedChange(facts, 30, now))).toEqual([
      null,
      null,
      null,
    ]);
  });
});

describe('facts', () => {
  it('are the same whatever the order of the statuses, and differ with any date', () => {
    const one = found({ statuses: ['active', 'client hold'], expiresAt: inDays(1) });
    expect(areFactsEqual(one, found({ statuses: ['client hold', 'active'], expiresAt: inDays(1) }))).toBe(true);
    expect(areFactsEqual(one, { ...one, expiresAt: inDays(2) })).toBe(false);
    expect(areFactsEqual(one, { ...one, registeredAt: inDays(-1) })).toBe(false);
    expect(areFactsEqual(one, { ...one, publishesExpiry: false })).toBe(false);
    expect(areFactsEqual(absent, premium)).toBe(false);
  });

  it('confirm that a registry publishes expiry dates only with a date', () => {
    expect([found({ expiresAt: now }), found(), absent].map((facts) => facts.publishesExpiry)).toEqual([
      true,
      null,
      null,
    ]);
  });
});
