import type { DomainName } from '../name/domain-name.js';
import type { RegistrationFacts } from './registration-facts.js';

/**
 * Registries that publish no date of expiry, by RDAP or WHOIS. Sources: answers of de, be, nl, eu, hu and ch without
 * one; Lissy93/domain-locker#81 and richardpenman/whois#68 for the rest; downing-labs/domain-expiry#3 for au, where
 * auDA takes the event out (RFC 9537); Norid's RDAP documents for no; louislam/uptime-kuma#7452 (2026-08) for fi, whose
 * RDAP leaves it out.
 */
export const TLDS_WITHOUT_EXPIRY: ReadonlySet<string> = new Set([
  'de',
  'at',
  'be',
  'ch',
  'li',
  'eu',
  'nl',
  'lv',
  'hu',
  'gr',
  'no',
  'au',
  'fi',
]);

/** Whether the name's registry tells when names expire; null when that is not known. */
export function publishesExpiry({ tld }: DomainName, facts: RegistrationFacts): boolean | null {
  if (facts.expiresAt) return true;
  return TLDS_WITHOUT_EXPIRY.has(tld) ? false : facts.publishesExpiry;
}
