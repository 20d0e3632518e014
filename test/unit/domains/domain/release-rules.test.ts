import { describe, expect, it } from '@jest/globals';
import { forecastDropWindow } from '../../../../src/domains/domain/deletion/expiry-forecast.js';
import { RELEASE_RULES } from '../../../../src/domains/domain/deletion/release-rules.js';
import { found, type RegistrationFacts } from '../../../../src/domains/domain/lifecycle/registration-facts.js';
import { DomainName } from '../../../../src/domains/domain/name/domain-name.js';
import { after, DAY, HOUR } from '../../../../src/kernel/clock.js';

const now = new Date('2026-11-21T12:00:00Z');
const inDays = (days: number) => after(now, days * DAY);
const windowOf = (name: string, facts: RegistrationFacts, seen: { after: Date; by: Date } | null = null) =>
  forecastDropWindow(DomainName.restore(name), facts, now, seen);
const redemption = found({ statuses: ['redemption period'] });

describe('the forecast drop window of a name', () => {
  it.each([
    ['de', 30],
    ['fr', 30],
    ['re', 30],
    ['nz', 90],
  ])('spans the whole deletion period of .%s: %d days', (tld, days) => {
    expect(windowOf(`lapsed.${tld}`, redemption)).toMatchObject({ earliest: now, likely: null, latest: inDays(days) });
  });

  it('begins at 04:00 UTC, 77 days after expiry, for .se', () => {
    const dropAt = new Date('2026-12-07T04:00:00Z');
    for (const expiresAt of ['2026-09-21T00:00:00Z', '2026-09-21T23:59:59Z'])
      expect(windowOf('lapsed.se', found({ expiresAt: new Date(expiresAt) }))).toMatchObject({
        earliest: dropAt,
        likely: dropAt,
        confidence: 'low',
        basis: expect.stringMatching(/^rule of Internetstiftelsen: .*support\.registry\.se/),
      });
  });

  it('begins 77 days after expiry for .cz, and has no latest date', () => {
    const window = { earliest: inDays(37), likely: null, latest: null, confidence: 'low' };
    expect(windowOf('lapsed.cz', found({ expiresAt: inDays(-40) }))).toMatchObject(window);
    const deleted = found({ expiresAt: inDays(-61), statuses: ['pending delete', 'inactive'] });
    expect(windowOf('lapsed.cz', deleted)).toMatchObject({ ...window, earliest: inDays(16) });
  });

  it('has low confidence if no document of the last five years confirms the rule', () => {
    const deleted = found({ expiresAt: inDays(-40), statuses: ['pending delete'] });
    expect(windowOf('lapsed.it', deleted)).toMatchObject({ confidence: 'low' });
    expect(windowOf('lapsed.com', deleted)).toMatchObject({ confidence: 'high' });
    for (const [, { confirmedIn }] of RELEASE_RULES)
      if (confirmedIn !== null) expect(confirmedIn).toBeGreaterThanOrEqual(now.getUTCFullYear() - 5);
  });

  it('begins at midnight in Moscow, 31 days after expiry, for .ru', () => {
    const facts = found({ expiresAt: new Date('2026-10-29T21:00:00Z') }); // free-date: 2026-11-30, which begins in Moscow
    expect(windowOf('lapsed.ru', facts)).toMatchObject({ earliest: new Date('2026-11-29T21:00:00Z') });
  });

  it('has an earlier likely date for .it than for .org after the same expiry', () => {
    const expiresAt = inDays(-10);
    expect(windowOf('lapsed.it', found({ expiresAt }))).toMatchObject({ earliest: inDays(35), likely: inDays(40) });
    expect(windowOf('lapsed.org', found({ expiresAt }))).toMatchObject({ earliest: inDays(35), likely: inDays(70) });
  });

  it('is shorter if it is known when the deletion began', () => {
    const seen = { after: inDays(-21), by: inDays(-20) };
    expect(windowOf('lapsed.de', redemption, seen)).toMatchObject({ earliest: inDays(9), latest: inDays(10) });
    const almostOver = { after: inDays(-31), by: after(inDays(-30), HOUR) };
    expect(windowOf('lapsed.de', redemption, almostOver)).toMatchObject({ earliest: now, latest: after(now, HOUR) });
  });

  it('ignores when the deletion began if the deletion period should already be over', () => {
    const seen = { after: inDays(-41), by: inDays(-40) };
    expect(windowOf('lapsed.de', redemption, seen)).toMatchObject({ earliest: now, latest: inDays(30) });
  });
});
