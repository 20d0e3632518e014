import { randomInt } from 'node:crypto';
import { after, DAY, isFromFuture, SECOND } from '../../../kernel/clock.js';
import type { TimeUnits } from '../../../kernel/time-units.js';
import { isBeingDeleted } from '../lifecycle/lifecycle.js';
import type { RegistrationFacts } from '../lifecycle/registration-facts.js';
import { DomainName } from '../name/domain-name.js';
import type { Purpose } from './absence.js';
import type { Testimony } from './lookup-result.js';

/** A canary is a name that must exist. If a source misses its canaries, its "no record" proves nothing. */

/** A name that a source found once and must find again. */
interface KnownName {
  readonly domain: string;
  readonly foundAt: Date;
}

/** The stored results about the canaries (names that must exist) of one source in one zone. */
export interface CanaryMemory {
  /** Latest first. */
  readonly known: readonly KnownName[];
  /** When the source last found any name in the zone. */
  readonly foundAt: Date | null;
  /** When the source last had no record of names that must exist (its canaries). */
  readonly missingAt: Date | null;
  /** The name that was found or missing last. */
  readonly domain: string | null;
}

export const NO_CANARY_MEMORY: CanaryMemory = { known: [], foundAt: null, missingAt: null, domain: null };

/** One more than `MAX_MISSING`, because the queried name may be among the canaries and then does not count. */
export const MAX_KNOWN = 3;
/** How many missing canaries end the search for an existing one. A single missing canary may have been deleted. */
export const MAX_MISSING = 2;
const KNOWN_FOR_DAYS = 30;
/** A name with fewer days to its expiry is no canary, because such a name may soon be deleted. */
const MIN_DAYS_TO_EXPIRY = 30;
/** How long found names speak for the source, and missing canaries (names that must exist) against the source. */
const COUNTS_FOR_MINUTES = 10;
/** The clocks of two processes differ by less than this, so only a larger difference shows which time is later. */
const CLOCKS_DIFFER_MS = 5 * SECOND;

interface RememberedCanary {
  readonly canary: 'found_since' | 'found_recently' | 'missing';
  readonly at: Date;
}

/**
 * Returns the stored result about canaries; null if none is recent, so that a canary query is needed.
 * @param since when the source answered about the queried name
 */
export function rememberedCanary(
  { foundAt, missingAt }: CanaryMemory,
  since: Date,
  now: Date,
  { minute }: Pick<TimeUnits, 'minute'>,
): RememberedCanary | null {
  const recently = after(now, -COUNTS_FOR_MINUTES * minute);
  const counts = (at: Date | null): at is Date => at !== null && at > recently && !isFromFuture(at, now);
  if (counts(missingAt)) return { canary: 'missing', at: missingAt };
  return counts(foundAt) ? { canary: foundBy(foundAt, after(since, CLOCKS_DIFFER_MS)), at: foundAt } : null;
}

export function foundBy(foundAt: Date, since: Date): 'found_since' | 'found_recently' {
  return foundAt >= since ? 'found_since' : 'found_recently';
}

export function isLastingRecord(facts: RegistrationFacts, now: Date): boolean {
  if (facts.outcome !== 'found' || isBeingDeleted(facts)) return false;
  return facts.expiresAt === null || facts.expiresAt > after(now, MIN_DAYS_TO_EXPIRY * DAY);
}

/** Leaves out the queried name, and canaries (names that must exist) that were found too long ago. */
export function canaryNames({ known }: CanaryMemory, asked: string, now: Date): readonly string[] {
  const earliest = after(now, -KNOWN_FOR_DAYS * DAY);
  return known.filter(({ domain, foundAt }) => domain !== asked && foundAt > earliest).map(({ domain }) => domain);
}

/** Returns `nic.<tld>` as a further canary, unless it is the queried name or already known. */
export function ownNameAsCanary(
  { ascii, registry }: DomainName,
  known: readonly string[],
  { isOfItsZone }: { readonly isOfItsZone: boolean },
): DomainName | null {
  const own = DomainName.restore(`nic.${registry}`);
  if (own.ascii === ascii || known.includes(own.ascii)) return null;
  // `nic.uk` is not in the zone `co.uk`, so it proves less about `co.uk`. Used only if no other canary is known.
  return known.length === 0 || isOfItsZone ? own : null;
}

/** Remembers a name that the source found, and forgets canaries that the working source did not find (`missing`). */
export function rememberFound(
  memory: CanaryMemory,
  domain: string,
  foundAt: Date,
  { isLasting, missing = [] }: { readonly isLasting: boolean; readonly missing?: readonly string[] },
): CanaryMemory {
  const kept = memory.known.filter((one) => one.domain !== domain && !missing.includes(one.domain));
  const known = isLasting ? [{ domain, foundAt }, ...kept].slice(0, MAX_KNOWN) : kept;
  return { ...memory, known, foundAt, domain };
}

export function withoutCanary(memory: CanaryMemory, domain: string): CanaryMemory {
  return { ...memory, known: memory.known.filter((one) => one.domain !== domain) };
}

/**
 * Whether a name without a record stops being a canary. Another canary must be known. For a watch, the lookup must also
 * confirm the deletion.
 */
export function endsCanary({ canary, isChange }: Testimony, purpose: Purpose): boolean {
  return canary !== 'unproven' && (purpose === 'check' || isChange);
}

/** Returns 24 random letters, which surely nobody has registered. */
export function randomLabel(): string {
  return Array.from({ length: 24 }, () => String.fromCharCode(97 + randomInt(26))).join('');
}
