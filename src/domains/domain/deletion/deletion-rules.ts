import { after, DAY } from '../../../kernel/clock.js';
import type { RegistrationFacts } from '../lifecycle/registration-facts.js';
import type { DomainName } from '../name/domain-name.js';
import { isGenericTld } from '../name/generic-tlds.js';
import { type DeletionRule, TLD_RULES } from '../tld-rules.js';

/** The same for every generic TLD: ICANN's contracts allow an auto-renew grace of up to 45 days, the rest is policy. */
const GENERIC_TLD_RULE: DeletionRule = {
  ...{ kind: 'epp', autoRenewDays: 45, redemptionDays: 30, pendingDeleteDays: 5 },
  source: 'gTLD life cycle: auto-renew grace of up to 45 days, redemption 30, pending delete 5 (RFC 3915; DNS Belgium)',
};

export function findDeletionRule({ tld }: DomainName): DeletionRule | null {
  return isGenericTld(tld) ? GENERIC_TLD_RULE : (TLD_RULES.get(tld)?.deletion ?? null);
}

/** Whether the holder can still restore a name that the registry calls `pending delete`. */
export function isRestorable(
  { tld }: DomainName,
  { statuses, expiresAt }: Pick<RegistrationFacts, 'statuses' | 'expiresAt'>,
  now: Date,
): boolean {
  const rule = TLD_RULES.get(tld)?.deletion;
  if (rule?.kind !== 'after_expiry' || !expiresAt || !statuses.includes('pending delete')) return false;
  return now < after(expiresAt, rule.restorableDays * DAY);
}
