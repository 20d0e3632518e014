import { randomInt } from 'node:crypto';
import { after, DAY, isFromFuture } from '../../../kernel/clock.js';
import type { TimeUnits } from '../../../kernel/time-units.js';
import { isBeingDeleted } from '../lifecycle/lifecycle.js';
import type { RegistrationFacts } from '../lifecycle/registration-facts.js';
import { DomainName } from '../name/domain-name.js';
import type { Purpose } from './absence.js';
import type { Testimony } from './testimony.js';

/**
 * A canary is another name that a source must have a record of: a name that it found before, or `nic.<tld>`. A registry
 * without a record of its canaries has lost more than the name in question. canary-witness.ts asks about canaries.
 */

/** A name that a source found once and must find again. */
interface KnownName {
  readonly domain: string;
  readonly foundAt: Date;
}

/** The canaries of one source in one zone. */
export interface CanaryMemory {
  /** Latest first. */
  readonly known: readonly KnownName[];
  /** When the source last found any name in the zone. */
  readonly foundAt: Date | null;
  /** When the source had no record of its canaries. */
  readonly missingAt: Date | null;
  /** The name that was last found or missing. */
  readonly domain: string | null;
}

export const NO_CANARY_MEMORY: CanaryMemory = { known: [], foundAt: null, missingAt: null, domain: null };

/** Two missing canaries may both have been deleted. The third is there for that case. */
export const MAX_KNOWN = 3;
/** This many missing canaries put the source in doubt. A single one may have been deleted. */
export const MAX_MISSING = 2;
const KNOWN_FOR_DAYS = 30;
/** A name that expires sooner may be gone the next time. */
const MIN_DAYS_TO_EXPIRY = 30;
/** How long a found canary counts, and how long a source without its canaries stays in doubt. */
const COUNTS_FOR_MINUTES = 10;

/** Whether a canary was found or missing, and when. */
interface RememberedCanary {
  readonly canary: 'found_since' | 'found_recently' | 'missing';
  readonly at: Date;
}

/**
 * Judges from memory alone. Returns null if a canary has to be asked about.
 * @param since when the source answered about the name in question
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
  return counts(foundAt) ? { canary: foundBy(foundAt, since), at: foundAt } : null;
}

export function foundBy(foundAt: Date, since: Date): 'found_since' | 'found_recently' {
  return foundAt >= since ? 'found_since' : 'found_recently';
}

/** Whether the name will still exist for weeks. */
export function isLastingRecord(facts: RegistrationFacts, now: Date): boolean {
  if (facts.outcome !== 'found' || isBeingDeleted(facts)) return false;
  return facts.expiresAt === null || facts.expiresAt > after(now, MIN_DAYS_TO_EXPIRY * DAY);
}

/** Returns the canaries to ask about, without the name in question and without names that were found too long ago. */
export function canaryNames({ known }: CanaryMemory, asked: string, now: Date): readonly string[] {
  const earliest = after(now, -KNOWN_FOR_DAYS * DAY);
  return known.filter(({ domain, foundAt }) => domain !== asked && foundAt > earliest).map(({ domain }) => domain);
}

/**
 * Returns the registry's own name as a canary, or null if it cannot be one. It proves something about the zone directly
 * above it. For other zones, such as `co.uk`, it is used only if no name of the zone is known.
 */
export function ownNameAsCanary(
  { ascii, registry }: DomainName,
  known: readonly string[],
  { isOfItsZone }: { readonly isOfItsZone: boolean },
): DomainName | null {
  const own = DomainName.restore(`nic.${registry}`);
  if (own.ascii === ascii || known.includes(own.ascii)) return null;
  return known.length === 0 || isOfItsZone ? own : null;
}

/** Returns the memory after a name was found, without names that were missing at the same time. */
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

/** Removes a name of which the source no longer has a record. */
export function withoutCanary(memory: CanaryMemory, domain: string): CanaryMemory {
  return { ...memory, known: memory.known.filter((one) => one.domain !== domain) };
}

/**
 * Whether a believed absence ends the use of the name as a canary. It does not if no other name of the source is known,
 * nor at the first lookup of a watch: then nothing is proven.
 */
export function endsCanary({ canary, isChange }: Testimony, purpose: Purpose): boolean {
  return canary !== 'unproven' && (purpose === 'check' || isChange);
}

/** Returns 24 random letters. No TLD has such a name. */
export function randomLabel(): string {
  return Array.from({ length: 24 }, () => String.fromCharCode(97 + randomInt(26))).join('');
}
