import { describe, expect, it } from '@jest/globals';
import { DomainName } from '../../../../src/domains/domain/name/domain-name.js';
import { deriveLifecycle } from '../../../../src/domains/domain/lifecycle/lifecycle.js';
import { forecastExpiry } from '../../../../src/domains/domain/deletion/expiry-forecast.js';
import {
  absent,
  found,
  inReleasePeriod,
  type RegistrationFacts,
  reserved,
} from '../../../../src/domains/domain/lifecycle/registration-facts.js';
import { after, DAY } from '../../../../src/kernel/clock.js';

const now = new Date('2026-11-21T12:00:00Z');
const inDays = (days: number) => after(now, days * DAY);
const forecast = (name: string, facts: RegistrationFacts) => {
  const domain = DomainName.restore(name);
  return forecastExpiry(domain, facts, deriveLifecycle(facts, 30, now).phase, now);
};
const windowOf = (name: string, facts: RegistrationFacts) => forecast(name, facts).dropWindow;
const pendingDelete = found({ statuses: ['pending delete'] });
const redemption = found({ statuses: ['redemption period', 'pending delete'] });

describe('the drop window of a generic TLD', () => {
  it('is the next five days in pending delete, with high confidence', () => {
    expect(windowOf('lapsed.com', pendingDelete)).toEqual({
      earliest: now,
      likely: null,
      latest: inDays(5),
      confidence: 'high',
      basis: expect.stringContaining('RFC 3915'),
    });
  });

  it('ends, most likely, 80 days after expiry', () => {
    const lapsed = { ...pendingDelete, expiresAt: inDays(-78) };
    expect(windowOf('lapsed.com', lapsed)).toMatchObject({ earliest: now, likely: inDays(2), latest: inDays(2) });
  });

  it('ignores an expiry date outside the window', () => {
    const stale = { ...pendingDelete, expiresAt: inDays(-89) };
    expect(windowOf('lapsed.com', stale)).toMatchObject({ earliest: now, likely: null, latest: inDays(5) });
  });

  it('is 5 to 35 days away in redemption, while the holder can restore the name', () => {
    expect(windowOf('lapsed.app', redemption)).toMatchObject({
      earliest: inDays(5),
      likely: null,
      latest: inDays(35),
      confidence: 'medium',
    });
    const lapsed = { ...redemption, expiresAt: inDays(-50) };
    expect(windowOf('lapsed.app', lapsed)).toMatchObject({ earliest: inDays(5), likely: inDays(30) });
  });

  it('is 35 to 80 days away in grace, while the holder can renew', () => {
    const grace = found({ statuses: ['active'], expiresAt: inDays(-10) });
    const guess = { earliest: inDays(35), likely: inDays(70), latest: inDays(70), confidence: 'low' };
    expect(windowOf('lapsed.org', grace)).toMatchObject(guess);
  });

  it('counts from the day of the automatic renewal', () => {
    const renewed = found({ statuses: ['auto renew period'], expiresAt: new Date('2027-11-11T12:00:00Z') });
    expect(forecast('lapsed.org', renewed)).toMatchObject({
      autoRenewedOn: new Date('2026-11-11T12:00:00Z'),
      dropWindow: { earliest: inDays(35), latest: inDays(70) },
    });
  });

  it.each([
    ['registered', found({ expiresAt: inDays(300) })],
    ['expiring', found({ expiresAt: inDays(3) })],
    ['on hold', found({ statuses: ['client hold'] })],
    ['being restored', found({ statuses: ['pending restore', 'redemption period'] })],
    ['reserved', reserved],
    ['free', absent],
  ])('is null for a name that is %s', (_what, facts) => expect(windowOf('lapsed.com', facts)).toBeNull());
});

describe('the drop window of a country code', () => {
  it.each(['nl', 'eu', 'be'])('is the quarantine of 40 days for .%s', (tld) => {
    const gone = found({ quarantine: 'redemption' });
    expect(windowOf(`lapsed.${tld}`, gone)).toMatchObject({ earliest: now, latest: inDays(40), confidence: 'medium' });
  });

  it.each([
    ['in grace', found({ expiresAt: inDays(-20) }), 75, 'low'],
    ['while it can be restored', found({ expiresAt: inDays(-40), quarantine: 'redemption' }), 55, 'medium'],
    ['from 90 days on', found({ expiresAt: inDays(-92), statuses: ['pending delete'] }), 3, 'high'],
  ])('is 95 days after expiry for .uk: %s', (_what, facts, days, confidence) => {
    expect(windowOf('lapsed.co.uk', facts)).toMatchObject({
      earliest: inDays(days),
      likely: inDays(days),
      latest: null,
      confidence,
      basis: expect.stringContaining('2022-09-13'),
    });
  });

  it('is unknown for .uk without an expiry date', () => expect(windowOf('lapsed.co.uk', pendingDelete)).toBeNull());

  it.each(['at', 'io', 'co', 'xn--p1ai', 'edu', 'test', 'lan', 'example'])('is unknown for .%s', (tld) => {
    for (const facts of [pendingDelete, redemption, found({ quarantine: 'pending_delete' })])
      expect(windowOf(`lapsed.${tld}`, facts)).toBeNull();
  });
});

describe('the day of release that a registry states', () => {
  const releasesAt = inDays(20);
  const day = { earliest: releasesAt, likely: null, basis: expect.stringMatching(/^registry: /) };

  it.each([
    ['in grace', found({ expiresAt: inDays(-10), releasesAt }), 'low'],
    ['while it can be restored', found({ quarantine: 'redemption', releasesAt }), 'medium'],
    ['in pending delete', found({ statuses: ['pending delete'], releasesAt }), 'high'],
  ])('is the drop window, whatever the rule of the TLD says: %s', (_when, facts, confidence) => {
    expect(windowOf('lapsed.ee', facts)).toMatchObject({ ...day, confidence });
    expect(windowOf('lapsed.ru', facts)).toMatchObject({ ...day, confidence });
  });

  it('says nothing of a name that has not expired', () => {
    expect(windowOf('lapsed.fi', found({ expiresAt: inDays(40), releasesAt: inDays(71) }))).toBeNull();
  });

  it('is ignored once it has passed', () => {
    const late = found({ expiresAt: inDays(-20), releasesAt: inDays(-2) });
    expect(windowOf('lapsed.ru', late)).toMatchObject({ basis: expect.stringMatching(/^rule of /) });
    expect(windowOf('lapsed.ee', late)).toBeNull();
  });
});

describe('the drop window of a dropped name in a release period', () => {
  it.each(['auction', 'release_process'] as const)('is unknown where the period may begin again: %s', (release) => {
    expect(windowOf('lapsed.cz', inReleasePeriod(release))).toBeNull();
  });

  it.each([
    ['expiry_access_period', 10],
    ['dropzone', 1],
  ] as const)('ends with the period at the latest: %s', (release, days) => {
    expect(windowOf('lapsed.app', inReleasePeriod(release))).toMatchObject({
      earliest: now,
      likely: null,
      latest: inDays(days),
      confidence: 'medium',
    });
  });
});

describe('the day of automatic renewal', () => {
  it.each([
    ['without the status', found({ expiresAt: inDays(360) })],
    ['while the old expiry stands', found({ statuses: ['auto renew period'], expiresAt: inDays(-3) })],
    ['for longer than a year', found({ statuses: ['auto renew period'], expiresAt: inDays(700) })],
    ['so long ago that the date must be another', found({ statuses: ['auto renew period'], expiresAt: inDays(200) })],
    ['without a date', found({ statuses: ['auto renew period'] })],
  ])('is null %s', (_what, facts) => expect(forecast('lapsed.com', facts).autoRenewedOn).toBeNull());
});

describe('the rule whether a registry publishes expiry dates', () => {
  it.each(['de', 'eu', 'nl', 'be', 'li', 'ch', 'at', 'no', 'au', 'hu', 'gr', 'lv'])('is no for .%s', (tld) => {
    expect(forecast(`example.${tld}`, found()).publishesExpiry).toBe(false);
    expect(forecast(`example.${tld}`, absent).publishesExpiry).toBe(false);
  });

  it('is yes where the record has one, whatever the rule', () => {
    expect(forecast('example.com', found({ expiresAt: inDays(9) })).publishesExpiry).toBe(true);
    expect(forecast('example.de', found({ expiresAt: inDays(9) })).publishesExpiry).toBe(true);
  });

  it('is unknown everywhere else', () => {
    expect(forecast('example.io', found()).publishesExpiry).toBeNull();
    expect(forecast('example.com', absent).publishesExpiry).toBeNull();
  });
});
