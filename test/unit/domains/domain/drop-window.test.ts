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

describe('the day a generic-TLD name becomes free', () => {
  it('is within the next five days, with high confidence, for a name in pending delete', () => {
    expect(windowOf('lapsed.com', pendingDelete)).toEqual({
      earliest: now,
      likely: null,
      latest: inDays(5),
      confidence: 'high',
      basis: expect.stringContaining('RFC 3915'),
    });
  });

  it('is most likely, and at the latest, 80 days after expiry for a name in pending delete', () => {
    const lapsed = { ...pendingDelete, expiresAt: inDays(-78) };
    expect(windowOf('lapsed.com', lapsed)).toMatchObject({ earliest: now, likely: inDays(2), latest: inDays(2) });
  });

  it('does not depend on an expiry date of more than 80 days ago', () => {
    const stale = { ...pendingDelete, expiresAt: inDays(-89) };
    expect(windowOf('lapsed.com', stale)).toMatchObject({ earliest: now, likely: null, latest: inDays(5) });
  });

  it('is 5 to 35 days away while the former holder can restore the name', () => {
    expect(windowOf('lapsed.app', redemption)).toMatchObject({
      earliest: inDays(5),
      likely: null,
      latest: inDays(35),
      confidence: 'medium',
    });
    const lapsed = { ...redemption, expiresAt: inDays(-50) };
    expect(windowOf('lapsed.app', lapsed)).toMatchObject({ earliest: inDays(5), likely: inDays(30) });
  });

  it('is 35 to 70 days away for a name that expired ten days ago', () => {
    const grace = found({ statuses: ['active'], expiresAt: inDays(-10) });
    const guess = { earliest: inDays(35), likely: inDays(70), latest: inDays(70), confidence: 'low' };
    expect(windowOf('lapsed.org', grace)).toMatchObject(guess);
  });

  it('is counted from the automatic renewal, a year before the new expiry date', () => {
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
  ])('is unknown for a name that is %s', (_what, facts) => expect(windowOf('lapsed.com', facts)).toBeNull());
});

describe('the day a country-code name becomes free', () => {
  it.each(['nl', 'eu', 'be'])('is within 40 days for a name in quarantine under .%s', (tld) => {
    const gone = found({ quarantine: 'redemption' });
    expect(windowOf(`lapsed.${tld}`, gone)).toMatchObject({ earliest: now, latest: inDays(40), confidence: 'medium' });
  });

  it.each([
    ['in the grace period', found({ expiresAt: inDays(-20) }), 75, 'low'],
    ['while it can be restored', found({ expiresAt: inDays(-40), quarantine: 'redemption' }), 55, 'medium'],
    [
      'in pending delete, 92 days after expiry',
      found({ expiresAt: inDays(-92), statuses: ['pending delete'] }),
      3,
      'high',
    ],
  ])('is 95 days after expiry for a .uk name: %s', (_what, facts, days, confidence) => {
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
    ['in the grace period', found({ expiresAt: inDays(-10), releasesAt }), 'low'],
    ['while it can be restored', found({ quarantine: 'redemption', releasesAt }), 'medium'],
    ['in pending delete', found({ statuses: ['pending delete'], releasesAt }), 'high'],
  ])(
    'is used as the earliest day the name becomes free, whatever the TLD’s rule says: %s',
    (_when, facts, confidence) => {
      expect(windowOf('lapsed.ee', facts)).toMatchObject({ ...day, confidence });
      expect(windowOf('lapsed.ru', facts)).toMatchObject({ ...day, confidence });
    },
  );

  it('is not used for a name that has not expired', () => {
    expect(windowOf('lapsed.fi', found({ expiresAt: inDays(40), releasesAt: inDays(71) }))).toBeNull();
  });

  it('is ignored once it has passed', () => {
    const late = found({ expiresAt: inDays(-20), releasesAt: inDays(-2) });
    expect(windowOf('lapsed.ru', late)).toMatchObject({ basis: expect.stringMatching(/^rule of /) });
    expect(windowOf('lapsed.ee', late)).toBeNull();
  });
});

describe('the day a name in a release period becomes free', () => {
  it.each(['auction', 'release_process'] as const)('is unknown if the period may begin again: %s', (release) => {
    expect(windowOf('lapsed.cz', inReleasePeriod(release))).toBeNull();
  });

  it.each([
    ['expiry_access_period', 10],
    ['dropzone', 1],
  ] as const)('is at the latest the end of the period: %s', (release, days) => {
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
    ['without the status "auto renew period"', found({ expiresAt: inDays(360) })],
    [
      'while the record still has the old expiry date',
      found({ statuses: ['auto renew period'], expiresAt: inDays(-3) }),
    ],
    [
      'if the new expiry date is more than a year away',
      found({ statuses: ['auto renew period'], expiresAt: inDays(700) }),
    ],
    [
      'if the renewal would have been five months ago',
      found({ statuses: ['auto renew period'], expiresAt: inDays(200) }),
    ],
    ['without an expiry date', found({ statuses: ['auto renew period'] })],
  ])('is unknown %s', (_what, facts) => expect(forecast('lapsed.com', facts).autoRenewedOn).toBeNull());
});

describe('whether a registry publishes expiry dates', () => {
  it.each(['de', 'eu', 'nl', 'be', 'li', 'ch', 'at', 'no', 'au', 'hu', 'gr', 'lv'])('is no for .%s', (tld) => {
    expect(forecast(`example.${tld}`, found()).publishesExpiry).toBe(false);
    expect(forecast(`example.${tld}`, absent).publishesExpiry).toBe(false);
  });

  it('is yes if the record has an expiry date, whatever the TLD', () => {
    expect(forecast('example.com', found({ expiresAt: inDays(9) })).publishesExpiry).toBe(true);
    expect(forecast('example.de', found({ expiresAt: inDays(9) })).publishesExpiry).toBe(true);
  });

  it('is unknown for other TLDs, and for .com if there is no record', () => {
    expect(forecast('example.io', found()).publishesExpiry).toBeNull();
    expect(forecast('example.com', absent).publishesExpiry).toBeNull();
  });
});
