import { describe, expect, it } from '@jest/globals';
import { forecastDropWindow } from '../../../../src/domains/domain/deletion/expiry-forecast.js';
import { found } from '../../../../src/domains/domain/lifecycle/registration-facts.js';
import { DomainName, InvalidDomainNameError } from '../../../../src/domains/domain/name/domain-name.js';
import { IcannSuffixes } from '../../../../src/domains/domain/name/icann-suffixes.js';
import { OPEN_SUFFIXES } from '../../../../src/domains/domain/name/open-suffixes.js';
import { publishesExpiry } from '../../../../src/domains/domain/tld-rules.js';
import { judged } from '../whois/whois-answers.js';

const suffixes = new IcannSuffixes();

function standing(name: string): string {
  try {
    return DomainName.parse(name, suffixes).ascii;
  } catch (error) {
    if (!(error instanceof InvalidDomainNameError)) throw error;
    const { registrable_domain: domain } = error.details;
    return `${error.code}: ${typeof domain === 'string' ? domain : error.message}`;
  }
}

describe('a suffix with its own registry', () => {
  it.each([...OPEN_SUFFIXES.keys()])('can have names registered directly under it: %s', (suffix) => {
    expect(standing(`example.${suffix}`)).toBe(`example.${suffix}`);
    expect(standing(`www.example.${suffix}`)).toBe(`not_registrable: example.${suffix}`);
    expect(standing(suffix)).toBe(suffix);
    expect(DomainName.restore(`example.${suffix}`).registry).toBe(suffix);
  });

  it('does not inherit the expiry and deletion rules of its TLD', () => {
    const [german, swedish] = ['example.com.de', 'example.com.se'].map((name) => DomainName.restore(name));
    if (!german || !swedish) throw new Error('two names');
    expect(publishesExpiry(german, found())).toBeNull();
    const gone = found({ statuses: ['pending delete'], expiresAt: new Date('2026-10-01') });
    const now = new Date('2026-11-21');
    for (const name of [german, swedish, DomainName.restore('example.uk.com')])
      expect(forecastDropWindow(name, gone, now, null)).toBeNull();
  });

  it('is not a hosting suffix such as github.io, whose names are refused', () => {
    expect(standing('someone.github.io')).toMatch(/^domain_private_suffix/);
  });
});

describe('the TLD .name', () => {
  it('allows registrations at the second and at the third level', () => {
    expect(standing('john.doe.name')).toBe('john.doe.name');
    expect(standing('doe.name')).toBe('doe.name');
    expect(standing('www.john.doe.name')).toBe('not_registrable: john.doe.name');
    expect(standing('a.forgot.her.name')).toMatch(/^domain_private_suffix/);
    expect(standing('www.example.com')).toBe('not_registrable: example.com');
  });

  it('has reserved second-level names if the registry allows only third-level registrations under them', () => {
    const shared = ['Not available for second level registration.', 'Third level registrations may be available.'];
    expect(judged('doe.name', shared)).toBe('reserved by whois.reserved.sentence');
    expect(judged('doe.name', shared.join(' '))).toBe('reserved by whois.reserved.sentence');
  });
});
