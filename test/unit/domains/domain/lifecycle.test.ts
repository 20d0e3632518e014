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

describe('the status of a name', () => {
  it.each([
    ['a free name', absent, 'available/available'],
    ['a free name at a premium price', premium, 'available/available'],
    [
      'a restore under way',
      found({ statuses: ['pending restore', 'redemption period'] }),
      'pending_delete/pending_restore',
    ],
    [
      'pending delete together with redemption period',
      found({ statuses: ['pending delete', 'redemption period'] }),
      'pending_delete/redemption',
    ],
    ['pending delete', found({ statuses: ['client hold', 'pending delete'] }), 'pending_delete/pending_delete'],
    ['in quarantine, and can be restored', found({ quarantine: 'redemption' }), 'pending_delete/redemption'],
    [
      'in quarantine, and can no longer be restored',
      found({ quarantine: 'pending_delete' }),
      'pending_delete/pending_delete',
    ],
    [
      'the auto-renew period',
      found({ statuses: ['auto renew period'], expiresAt: inDays(365) }),
      'expiring/expired_grace',
    ],
    [
      'pending delete together with auto-renew period',
      found({ statuses: ['auto renew period', 'pending delete'] }),
      'pending_delete/pending_delete',
    ],
    ['expired a moment ago', expiring(inDays(0, -1)), 'expiring/expired_grace'],
    ['expired 90 days ago', expiring(inDays(-90)), 'expiring/expired_grace'],
    ['expired a moment more than 90 days ago', expiring(inDays(-90, -1)), 'registered/registered'],
    ['expiring this instant', expiring(now), 'expiring/expiring'],
    ['expiring in exactly 30 days', expiring(inDays(30)), 'expiring/expiring'],
    ['expiring in just over 30 days', expiring(inDays(30, 1)), 'registered/registered'],
    ['expiring while on hold', found({ statuses: ['server hold'], expiresAt: inDays(5) }), 'expiring/expiring'],
    ['reserved', reserved, 'registered/reserved'],
    ['on hold', found({ statuses: ['active', 'client hold'] }), 'registered/hold'],
    ['inactive', found({ statuses: ['inactive'] }), 'registered/registered'],
    ['pending create', found({ statuses: ['pending create'] }), 'registered/registered'],
    ['no status and no expiry date', found(), 'registered/registered'],
  ])('is derived together with the phase: %s', (_evidence, facts, outcome) => {
    expect(format(deriveLifecycle(facts, 30, now))).toBe(outcome);
  });

  it('is "expiring" only if the expiry is within the configured number of days', () => {
    const facts = expiring(inDays(200));
    expect([1, 199, 200, 365].map((window) => deriveLifecycle(facts, window, now).status)).toEqual([
      'registered',
      'registered',
      'expiring',
      'expiring',
    ]);
  });

  it('is "reserved" in the result of a check if the name is reserved', () => {
    expect([reserved, absent, found()].map((facts) => deriveCheckStatus(facts, 30, now))).toEqual([
      'reserved',
      'available',
      'registered',
    ]);
  });
});

describe('the next status change caused by time alone', () => {
  it.each([
    ['the start of the expiring window', 100, 70],
    ['the expiry', 10, 10],
    ['the end of the grace period', -20, 70],
  ])('is %s (expiry in %d days, change in %d days)', (_what, expiresInDays, boundaryInDays) => {
    const facts = expiring(inDays(expiresInDays));
    const boundary = nextTimedChange(facts, 30, now);
    expect(Math.round(((boundary?.getTime() ?? 0) - now.getTime()) / DAY)).toBe(boundaryInDays);
    expect(format(deriveLifecycle(facts, 30, boundary ?? now))).not.toBe(
      format(deriveLifecycle(facts, 30, after(boundary ?? now, -1))),
    );
  });

  it('is null for a name without expiry date, an available one and one expired long ago', () => {
    expect([found(), absent, expiring(inDays(-91))].map((facts) => nextTimedChange(facts, 30, now))).toEqual([
      null,
      null,
      null,
    ]);
  });
});

describe('the registration facts of a name', () => {
  it('are equal if only the order of statuses differs, unequal if a date differs', () => {
    const one = found({ statuses: ['active', 'client hold'], expiresAt: inDays(1) });
    expect(areFactsEqual(one, found({ statuses: ['client hold', 'active'], expiresAt: inDays(1) }))).toBe(true);
    expect(areFactsEqual(one, { ...one, expiresAt: inDays(2) })).toBe(false);
    expect(areFactsEqual(one, { ...one, registeredAt: inDays(-1) })).toBe(false);
    expect(areFactsEqual(one, { ...one, publishesExpiry: false })).toBe(false);
    expect(areFactsEqual(absent, premium)).toBe(false);
  });

  it('say that the registry publishes expiry dates only if an expiry date is present', () => {
    expect([found({ expiresAt: now }), found(), absent].map((facts) => facts.publishesExpiry)).toEqual([
      true,
      null,
      null,
    ]);
  });
});
