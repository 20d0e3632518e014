import { publishesExpiry } from '../tld-rules.js';
import { deriveLifecycle, type LifecyclePhase } from '../lifecycle/lifecycle.js';
import type { RegistrationFacts } from '../lifecycle/registration-facts.js';
import type { DomainName } from '../name/domain-name.js';
import { findDeletionRule } from './release-rules.js';
import { autoRenewedOn, computeDropWindow, type DropWindow, type ObservedDeletion } from './drop-window.js';
import { after, DAY, HOUR } from '../../../kernel/clock.js';

export interface ExpiryForecast {
  readonly publishesExpiry: boolean | null;
  readonly autoRenewedOn: Date | null;
  readonly dropWindow: DropWindow | null;
}

/** @param listing the name's row in an official drop list */
export function forecastExpiry(
  name: DomainName,
  facts: RegistrationFacts,
  phase: LifecyclePhase,
  now: Date,
  listing: DropListing | null = null,
): ExpiryForecast {
  return {
    publishesExpiry: publishesExpiry(name, facts),
    autoRenewedOn: autoRenewedOn(facts, now),
    dropWindow:
      (listing && computeListedDropWindow(listing, facts, now)) ??
      computeDropWindow(facts, phase, findDeletionRule(name), now),
  };
}

/** Returns when the name may become available, by the registry's rules; null if they do not tell. */
export function forecastDropWindow(
  name: DomainName,
  facts: RegistrationFacts,
  now: Date,
  deletion: ObservedDeletion | null,
): DropWindow | null {
  const { phase } = deriveLifecycle(facts, 0, now);
  return computeDropWindow(facts, phase, findDeletionRule(name), now, deletion);
}

interface DropListRule {
  /** All names of the list end with this TLD. */
  readonly tld: string;
  /** Whether the list states the time of deletion. Otherwise the list states when the day's deletions begin. */
  readonly isExact: boolean;
  /** For this many days before the deletion, nobody can renew or restore the name. */
  readonly finalDays: number;
  readonly source: string;
}

const SWEDISH_SOURCE =
  'Internetstiftelsen, list of deactivated domains: released on the date given, at 04:00 UTC at the earliest (internetstiftelsen.se, "domains that may soon be available")';
const AUSTRALIAN_SOURCE =
  'auDA, official drop list: purged in the first daily cycle after the eligible time, deleted names at 13:00 AEST, expired names at 13:30 (auda.org.au, "Official Domain Name Drop List")';

/** The rules of official drop lists, in which registries announce the names to be deleted. */
export const DROP_LIST_RULES = {
  uk: {
    tld: 'uk',
    isExact: true,
    finalDays: 5,
    source: 'Nominet, daily drop list with the drop time of each name (registrars.nominet.uk/drop-lists)',
  },
  se: { tld: 'se', isExact: false, finalDays: 0, source: SWEDISH_SOURCE },
  nu: { tld: 'nu', isExact: false, finalDays: 0, source: SWEDISH_SOURCE },
  au_expired: { tld: 'au', isExact: false, finalDays: 0, source: AUSTRALIAN_SOURCE },
  au_deleted: { tld: 'au', isExact: false, finalDays: 0, source: AUSTRALIAN_SOURCE },
} as const satisfies Record<string, DropListRule>;

export type DropListId = keyof typeof DROP_LIST_RULES;

/** A name on an official list of future deletions. The list never changes a name's status. */
export interface DropListing {
  /** In ASCII form. */
  readonly domain: string;
  readonly list: DropListId;
  readonly dropAt: Date;
}

/** If a listed name is still registered this long after the announced deletion, then its holder has renewed it. */
export const LISTING_GRACE_MS = 3 * HOUR;

/** Returns null if the name is not registered, or if `LISTING_GRACE_MS` have passed since the announced deletion. */
export function computeListedDropWindow(
  { domain, list, dropAt }: DropListing,
  { outcome }: Pick<RegistrationFacts, 'outcome'>,
  now: Date,
): DropWindow | null {
  if (outcome !== 'found' || now > after(dropAt, LISTING_GRACE_MS)) return null;
  const { isExact, finalDays, source }: DropListRule = DROP_LIST_RULES[list];
  const isFinal = now >= after(dropAt, -finalDays * DAY);
  return {
    earliest: dropAt,
    likely: dropAt,
    latest: isExact ? dropAt : null,
    basis: `list: ${domain} is on the drop list of .${DROP_LIST_RULES[list].tld}; ${source}`,
    confidence: isFinal ? 'high' : 'medium',
  };
}
