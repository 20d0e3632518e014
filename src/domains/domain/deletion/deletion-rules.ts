import { after, DAY } from '../../../kernel/clock.js';
import type { RegistrationFacts } from '../lifecycle/registration-facts.js';
import type { DomainName } from '../name/domain-name.js';
import { isGenericTld } from '../name/generic-tlds.js';
import { type DeletionRule, GENERIC_TLD_RULE, RELEASE_RULES } from './release-rules.js';

export function findDeletionRule({ tld }: DomainName): DeletionRule | null {
  return isGenericTld(tld) ? GENERIC_TLD_RULE : (RELEASE_RULES.get(tld) ?? null);
}

/** Whether the holder can still restore a name that the registry calls `pending delete`. */
export function isRestorable(
  { tld }: DomainName,
  { statuses, expiresAt }: Pick<RegistrationFacts, 'statuses' | 'expiresAt'>,
  now: Date,
): boolean {
  const rule = RELEASE_RULES.get(tld);
  if (rule?.kind !== 'after_expiry' || !expiresAt || !statuses.includes('pending delete')) return false;
  return now < after(expiresAt, rule.restorableDays * DAY);
}
