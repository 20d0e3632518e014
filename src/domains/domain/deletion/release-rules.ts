import { after, DAY } from '../../../kernel/clock.js';
import type { RegistrationFacts } from '../lifecycle/registration-facts.js';
import type { DomainName } from '../name/domain-name.js';
import { isGenericTld } from '../name/icann-suffixes.js';

/** How a registry deletes a name. */
export type DeletionRule = {
  /** Who decides on it: a registry operator, or a policy of many. */
  readonly operator: string;
  readonly source: string;
} & (
  | {
      /** The periods of RFC 3915: grace from expiry on, then redemption, then pending delete. */
      readonly kind: 'epp';
      readonly autoRenewDays: number;
      readonly redemptionDays: number;
      readonly pendingDeleteDays: number;
    }
  /** One period that begins with the deletion and ends with the drop. */
  | { readonly kind: 'quarantine'; readonly days: number }
  /** Dropped a fixed time after expiry, whatever the status before; the holder can restore the name for a part of it. */
  | {
      readonly kind: 'after_expiry';
      readonly restorableDays: number;
      readonly days: number;
      /** The hour of the last day, in UTC, before which nothing is dropped; null: the hour of the expiry. */
      readonly notBeforeHour: number | null;
    }
);

/** Generic TLDs need no rule of their own: ICANN's contracts give them all the same periods. */
export const GENERIC_TLD_RULE: DeletionRule = {
  kind: 'epp',
  autoRenewDays: 45,
  redemptionDays: 30,
  pendingDeleteDays: 5,
  operator: 'generic TLDs',
  source:
    'auto-renew grace of up to 45 days, redemption 30, pending delete 5 (RFC 3915; ICANN registry agreements, appendix 7)',
};

/**
 * Rules by country code, and only what a document of the registry says or a registrar quotes from it. What is not here is
 * unknown and gets no forecast.
 */
const RULES: readonly (readonly [tlds: readonly string[], rule: DeletionRule])[] = [
  [['be'], quarantine('DNS Belgium', 40, 'quarantine of 40 days, no pending delete (registrar FAQ)')],
  [
    ['cz'],
    {
      operator: 'CZ.NIC',
      kind: 'after_expiry',
      restorableDays: 60,
      days: 61,
      notBeforeHour: null,
      source:
        '60 days after expiry, the last 30 without delegation, deleted on day 61 at a random time (rules of registration since 2011-10-01, as announced by regzone.cz, 2011-09-05)',
    },
  ],
  [
    ['de'],
    quarantine(
      'DENIC',
      30,
      'redemption grace period of 30 days after deletion, which only a waiver of the holder shortens (denic.de, "Redemption Grace Period for .de Domains")',
    ),
  ],
  [['eu'], quarantine('EURid', 40, 'quarantine of 40 days, no pending delete (registrar FAQ)')],
  [
    ['fr', 're'],
    quarantine(
      'AFNIC',
      30,
      'redemption of 30 days after deletion (afnic.fr, "Evolution of the .fr and .re registration rules and procedures on March 30th, 2009")',
    ),
  ],
  [
    ['it'],
    {
      operator: 'Registro .it',
      kind: 'epp',
      autoRenewDays: 15,
      redemptionDays: 30,
      pendingDeleteDays: 5,
      source:
        'autoRenewPeriod of 15 days (nic.it, ".it Glossary"), redemptionPeriod of 30, pendingDelete of at most 5 (guide.hosting.aruba.it, "Stati domini .it")',
    },
  ],
  [['nl'], quarantine('SIDN', 40, 'quarantine of 40 days, no pending delete (sidn.nl; richardpenman/whois#68)')],
  [
    ['nu', 'se'],
    {
      operator: 'Internetstiftelsen',
      kind: 'after_expiry',
      restorableDays: 70,
      days: 77,
      notBeforeHour: 4,
      source:
        'expired for 10 days, deactivated for 60, quarantined for 7, released from 04:00 UTC on (iis.se, "to be released"; support.registry.se, "release of domain names", 2020-05-06)',
    },
  ],
  [
    ['nz'],
    quarantine(
      'InternetNZ',
      90,
      'pending release for 90 days after cancellation (docs.aws.amazon.com, Route 53, co.nz: restorable from day 44 to day 134)',
    ),
  ],
  [
    ['ru', 'xn--p1ai'],
    {
      operator: 'Coordination Center',
      kind: 'after_expiry',
      restorableDays: 30,
      days: 31,
      notBeforeHour: null,
      source:
        'renewal possible for 30 days after expiry, in which the registration cannot be cancelled (nic.ru, "Suspending and deleting domains"), released on the free-date of its WHOIS, 31 days after paid-till and later after a weekend or holiday',
    },
  ],
  [
    ['uk'],
    {
      operator: 'Nominet',
      kind: 'after_expiry',
      restorableDays: 90,
      days: 95,
      notBeforeHour: null,
      source:
        'EPP pendingDelete from 30 days after expiry, renewal possible until 90, dropped at 95, at a time of its drop list (registrars.nominet.uk, "New domain expiry process and introduction of drop lists for .UK", in force since 2022-09-13)',
    },
  ],
];

export const RELEASE_RULES: ReadonlyMap<string, DeletionRule> = new Map(
  RULES.flatMap(([tlds, rule]) => tlds.map((tld) => [tld, rule] as const)),
);

function quarantine(operator: string, days: number, source: string): DeletionRule {
  return { operator, kind: 'quarantine', days, source };
}

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
