import { after, DAY } from '../../../kernel/clock.js';
import type { DomainName } from '../name/domain-name.js';
import type { RegistrationFacts } from '../lifecycle/registration-facts.js';

/** How a registry lets go of a name. Days. */
export type DeletionRule = { readonly source: string } & (
  | {
      /** The periods of RFC 3915: grace from expiry, then redemption, then pending delete. */
      readonly kind: 'epp';
      readonly autoRenewDays: number;
      readonly redemptionDays: number;
      readonly pendingDeleteDays: number;
    }
  /** One period from deletion on, at whose end the name is free. */
  | { readonly kind: 'quarantine'; readonly days: number }
  /** So long after the date of expiry, whatever the registry calls it before; the holder can restore it until then. */
  | { readonly kind: 'after_expiry'; readonly restorableDays: number; readonly days: number }
);

/** The same at every generic TLD: ICANN's contracts leave auto-renewal up to 45 days, the rest is policy. */
const GENERIC_TLD_RULE: DeletionRule = {
  ...{ kind: 'epp', autoRenewDays: 45, redemptionDays: 30, pendingDeleteDays: 5 },
  source: 'gTLD life cycle: auto-renew grace of up to 45 days, redemption 30, pending delete 5 (RFC 3915; DNS Belgium)',
};

/** Country codes have rules of their own; where none is known for sure, none is here. */
const COUNTRY_CODE_RULES: ReadonlyMap<string, DeletionRule> = new Map([
  ['nl', quarantine(40, 'SIDN: quarantine of 40 days, no pending delete (sidn.nl; richardpenman/whois#68)')],
  ['eu', quarantine(40, 'EURid: quarantine of 40 days, no pending delete (registrar FAQ)')],
  ['be', quarantine(40, 'DNS Belgium: quarantine of 40 days, no pending delete (registrar FAQ)')],
  [
    'uk',
    {
      ...{ kind: 'after_expiry', restorableDays: 90, days: 95 },
      source:
        'Nominet: EPP pendingDelete from 30 days after expiry, renewal possible until 90, dropped at 95, at a time of its drop list (registrars.nominet.uk, "New domain expiry process and introduction of drop lists for .UK", in force since 2022-09-13)',
    },
  ],
]);

/** @param isGeneric whether the name's TLD is one under ICANN's contracts */
export function findDeletionRule({ tld }: DomainName, isGeneric: boolean): DeletionRule | null {
  return isGeneric ? GENERIC_TLD_RULE : (COUNTRY_CODE_RULES.get(tld) ?? null);
}

/** Whether a `pending delete` of the registry leaves the holder the time to restore the name. */
export function isRestorable(
  { tld }: DomainName,
  { statuses, expiresAt }: Pick<RegistrationFacts, 'statuses' | 'expiresAt'>,
  now: Date,
): boolean {
  const rule = COUNTRY_CODE_RULES.get(tld);
  if (rule?.kind !== 'after_expiry' || !expiresAt || !statuses.includes('pending delete')) return false;
  return now < after(expiresAt, rule.restorableDays * DAY);
}

function quarantine(days: number, source: string): DeletionRule {
  return { kind: 'quarantine', days, source };
}
