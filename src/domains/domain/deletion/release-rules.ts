import { after, DAY } from '../../../kernel/clock.js';
import type { RegistrationFacts } from '../lifecycle/registration-facts.js';
import type { DomainName } from '../name/domain-name.js';
import { isGenericTld } from '../name/icann-suffixes.js';

export type DeletionRule = {
  /** The registry operator, or a group with the same rules such as `generic TLDs`. */
  readonly operator: string;
  readonly source: string;
  /**
   * The year of the newest document with the rule. null (no document within five years) lowers the forecast's
   * confidence.
   */
  readonly confirmedIn: number | null;
} & (
  | {
      /** The periods of RFC 3915: grace after expiry, then redemption, then pending delete. */
      readonly kind: 'epp';
      readonly autoRenewDays: number;
      readonly redemptionDays: number;
      readonly pendingDeleteDays: number;
    }
  /** A single period, which begins with the deletion and ends when the name is free. */
  | { readonly kind: 'quarantine'; readonly days: number }
  /** The name becomes free a fixed time after expiry, whatever its status. The holder can restore the name at first. */
  | {
      readonly kind: 'after_expiry';
      readonly restorableDays: number;
      readonly days: number;
      /** The first hour (UTC) of releases; null if a name is released at the time of day of its expiry. */
      readonly notBeforeHour: number | null;
      /** The right to register is auctioned. The name becomes free `days` after expiry only if nobody bids. */
      readonly isAuctioned?: true;
    }
);

/** ICANN's contracts give all generic TLDs the same periods. */
export const GENERIC_TLD_RULE: DeletionRule = {
  kind: 'epp',
  autoRenewDays: 45,
  redemptionDays: 30,
  pendingDeleteDays: 5,
  operator: 'generic TLDs',
  confirmedIn: 2026,
  source:
    'auto-renew grace of up to 45 days, redemption 30, pending delete 5 (RFC 3915 and its successor, draft-ietf-regext-rfc3915bis-00, 2026-05-11; ICANN registry agreements, appendix 7)',
};

/** Rules by country code, from documents of registries, or of registrars who quote them. */
const RULES: readonly (readonly [tlds: readonly string[], rule: DeletionRule])[] = [
  [
    ['be'],
    quarantine(
      'DNS Belgium',
      40,
      2023,
      'quarantine of 40 days, no pending delete (docs.dnsbelgium.be, "Domain name life cycle"; docs.en.behostings.net, 2023-07-21)',
    ),
  ],
  [
    ['cz'],
    {
      operator: 'CZ.NIC',
      kind: 'after_expiry',
      restorableDays: 60,
      days: 77,
      notBeforeHour: null,
      isAuctioned: true,
      confirmedIn: 2024,
      source:
        '60 days after expiry, the last 30 without delegation, deleted on day 61, 15 days later auctioned for a day, released on the next if nobody bids (podpora.generalregistry.cz/kb/a4447 and domainmaster.cz, help 139, in force since 2024-05-01)',
    },
  ],
  [
    ['de'],
    quarantine(
      'DENIC',
      30,
      2023,
      'redemption grace period of 30 days after deletion, which only a waiver of the holder shortens (denic.de, "Redemption Grace Period for .de Domains"; domain-recht.de 69213, ten years after its start)',
    ),
  ],
  [
    ['eu'],
    quarantine(
      'EURid',
      40,
      2022,
      'quarantine of 40 days, no pending delete (help.eurid.eu, "Why is my domain name in quarantine?")',
    ),
  ],
  [
    ['fr', 're'],
    quarantine(
      'AFNIC',
      30,
      2025,
      'redemption of 30 days after deletion (AFNIC\'s naming charter of 2025, as milodomain.com explains it; afnic.fr, "Evolution of the .fr and .re registration rules and procedures on March 30th, 2009")',
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
      confirmedIn: null,
      source:
        'autoRenewPeriod of 15 days (nic.it, ".it Glossary"), redemptionPeriod of 30, pendingDelete of at most 5 (guide.hosting.aruba.it, "Stati domini .it")',
    },
  ],
  [
    ['nl'],
    quarantine(
      'SIDN',
      40,
      2023,
      'quarantine of 40 days, no pending delete (sidn.nl, "Redeeming a quarantined domain name"; wiki.hexonet.net, NL, 2023-01-10)',
    ),
  ],
  [
    ['nu', 'se'],
    {
      operator: 'Internetstiftelsen',
      kind: 'after_expiry',
      restorableDays: 70,
      days: 77,
      notBeforeHour: 4,
      confirmedIn: null,
      source:
        'expired for 10 days, deactivated for 60, quarantined for 7, released from 04:00 UTC on (iis.se, "to be released"; support.registry.se, "release of domain names", 2020-05-06)',
    },
  ],
  [
    ['nz'],
    quarantine(
      'InternetNZ',
      90,
      2022,
      'redemption of 90 days after cancellation, then pending delete (docs.internetnz.nz, "Registry Concepts", of its registry since 2022-11-01; docs.aws.amazon.com, Route 53, co.nz)',
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
      confirmedIn: null,
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
      confirmedIn: 2022,
      source:
        'EPP pendingDelete from 30 days after expiry, renewal possible until 90, dropped at 95, at a time of its drop list (registrars.nominet.uk, "New domain expiry process and introduction of drop lists for .UK", in force since 2022-09-13)',
    },
  ],
];

export const RELEASE_RULES: ReadonlyMap<string, DeletionRule> = new Map(
  RULES.flatMap(([tlds, rule]) => tlds.map((tld) => [tld, rule] as const)),
);

function quarantine(operator: string, days: number, confirmedIn: number, source: string): DeletionRule {
  return { operator, kind: 'quarantine', days, confirmedIn, source };
}

export function findDeletionRule({ registry }: DomainName): DeletionRule | null {
  return isGenericTld(registry) ? GENERIC_TLD_RULE : (RELEASE_RULES.get(registry) ?? null);
}

/** Whether the holder can still restore a name that the registry calls `pending delete`. */
export function isRestorable(
  { registry }: DomainName,
  { statuses, expiresAt }: Pick<RegistrationFacts, 'statuses' | 'expiresAt'>,
  now: Date,
): boolean {
  const rule = RELEASE_RULES.get(registry);
  if (rule?.kind !== 'after_expiry' || !expiresAt || !statuses.includes('pending delete')) return false;
  return now < after(expiresAt, rule.restorableDays * DAY);
}
