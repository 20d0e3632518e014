import { publishesExpiry } from '../tld-rules.js';
import { deriveLifecycle, type LifecyclePhase } from '../lifecycle/lifecycle.js';
import type { RegistrationFacts } from '../lifecycle/registration-facts.js';
import type { DomainName } from '../name/domain-name.js';
import { findDeletionRule } from './release-rules.js';
import { autoRenewedOn, computeDropWindow, type DropWindow, type ObservedDeletion } from './drop-window.js';
import { after, DAY, HOUR } from '../../../kernel/clock.js';

/** The registry's rules applied to the facts. */
export interface ExpiryForecast {
  readonly publishesExpiry: boolean | null;
  readonly autoRenewedOn: Date | null;
  readonly dropWindow: DropWindow | null;
}

/** @param listing what an official drop list says of the name */
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

/** Null unless the registry is deleting the name and its rules are known. */
export function forecastDropWindow(
  name: DomainName,
  facts: RegistrationFacts,
  now: Date,
  deletion: ObservedDeletion | null,
): DropWindow | null {
  const { phase } = deriveLifecycle(facts, 0, now);
  return computeDropWindow(facts, phase, findDeletionRule(name), now, deletion);
}

/** Facts about an official drop list, beside its format. */
interface DropListRule {
  /** All names of the list end with it. */
  readonly tld: string;
  /** Whether the time on the list is that of the drop; else it is the first at which the registry deletes that day. */
  readonly isExact: boolean;
  /** The days before the drop in which a name can no longer be renewed or restored. */
  readonly finalDays: number;
  readonly source: string;
}

const SWEDISH_SOURCE =
  'Internetstiftelsen, list of deactivated domains: released on the date given, at 04:00 UTC at the earliest (internetstiftelsen.se, "domains that may soon be available")';
const AUSTRALIAN_SOURCE =
  'auDA, official drop list: purged in the first daily cycle after the eligible time, deleted names at 13:00 AEST, expired names at 13:30 (auda.org.au, "Official Domain Name Drop List")';

/** The lists that registries publish themselves, of names that they are going to delete. */
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

/** A name on an official drop list: a hint when to check it, never a status. */
export interface DropListing {
  /** Is in ASCII. */
  readonly domain: string;
  readonly list: DropListId;
  readonly dropAt: Date;
}

/** A listing still says something for so long after its time; a name that is registered then was renewed. */
export const LISTING_GRACE_MS = 3 * HOUR;

/** Null once the time of the listing has passed, and for a name that is not registered. */
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
