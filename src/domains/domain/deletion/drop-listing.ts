import { after, DAY, HOUR } from '../../../kernel/clock.js';
import type { RegistrationFacts } from '../lifecycle/registration-facts.js';
import type { DropWindow } from './drop-window.js';

/** What is known of an official drop list, beside its format. */
interface DropListRule {
  /** All names of the list end with it. */
  readonly tld: string;
  /** Whether the time on the list is that of the drop; else it is the first at which the registry deletes that day. */
  readonly isExact: boolean;
  /** So many days before the drop, a name can no longer be renewed or restored. */
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
    ...{ tld: 'uk', isExact: true, finalDays: 5 },
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
  /** In ASCII. */
  readonly domain: string;
  readonly list: DropListId;
  readonly dropAt: Date;
}

/** For how long after its time a listing still says something; a name that is registered then was renewed. */
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
