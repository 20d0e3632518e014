import type { DomainName } from '../name/domain-name.js';
import { TLD_RULES } from '../tld-rules.js';
import type { RegistrationFacts } from './registration-facts.js';

export const TLDS_WITHOUT_EXPIRY: ReadonlySet<string> = new Set(
  [...TLD_RULES].filter(([, { publishesExpiry }]) => publishesExpiry === false).map(([tld]) => tld),
);

/** Whether the registry publishes expiry dates; null when unknown. */
export function publishesExpiry({ tld }: DomainName, facts: RegistrationFacts): boolean | null {
  if (facts.expiresAt) return true;
  return TLDS_WITHOUT_EXPIRY.has(tld) ? false : facts.publishesExpiry;
}
