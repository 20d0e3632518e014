import { randomInt } from 'node:crypto';
import { after, DAY, isFromFuture } from '../../../kernel/clock.js';
import type { TimeUnits } from '../../../kernel/time-units.js';
import { isBeingDeleted } from '../lifecycle/lifecycle.js';
import type { RegistrationFacts } from '../lifecycle/registration-facts.js';
import { DomainName } from '../name/domain-name.js';
import type { Purpose } from './absence.js';
import type { Testimony } from './testimony.js';

/*
 * A canary is another name that a source must have a record of: a name that the source found itself, else
 * `nic.<tld>`. A registry without a record of its canaries has lost more than the name in question. canary-witness.ts
 * asks about them.
 */

/** A name that a source found itself, and when: it must find it again. */
interface KnownName {
  readonly domain: string;
  readonly foundAt: Date;
}

/** The memory of the canaries of one source and one zone. */
export interface CanaryMemory {
  /** The latest first. */
  readonly known: readonly KnownName[];
  /** When the source last found a name there, whichever. */
  readonly foundAt: Date | null;
  /** When the source had no record of names that it must have one of. */
  readonly missingAt: Date | null;
  /** The name that was found or missing last. */
  readonly domain: string | null;
}

export const NO_CANARY_MEMORY: CanaryMemory = { known: [], foundAt: null, missingAt: null, domain: null };

/** Two that are not found may both have been deleted since; a third one is there in case the first was. */
export const MAX_KNOWN = 3;
/** This number of missing canaries puts the source in doubt; one may have been deleted. */
export const MAX_MISSING = 2;
const KNOWN_FOR_DAYS = 30;
/** A name that expires sooner may be gone the next time. */
const MIN_DAYS_TO_EXPIRY = 30;
/** How long a canary counts that was found, and how long a source is in doubt that had none of its canaries. */
const COUNTS_FOR_MINUTES = 10;

/** Whether a canary was found or missing, and when. */
interface RememberedCanary {
  readonly canary: 'found_since' | 'found_recently' | 'missing';
  readonly at: Date;
}

/**
 * The verdict from memory alone; null: a canary has to be asked about.
 * @param since when the source had answered about the name in question
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

/** Whether a record shows a name that will still be there for weeks. */
export function isLastingRecord(facts: RegistrationFacts, now: Date): boolean {
  if (facts.outcome !== 'found' || isBeingDeleted(facts)) return false;
  return facts.expiresAt === null || facts.expiresAt > after(now, MIN_DAYS_TO_EXPIRY * DAY);
}

/** The names to ask about, without the name in question and without names that were found too long ago. */
export function canaryNames({ known }: CanaryMemory, asked: string, now: Date): readonly string[] {
  const earliest = after(now, -KNOWN_FOR_DAYS * DAY);
  return known.filter(({ domain, foundAt }) => domain !== asked && foundAt > earliest).map(({ domain }) => domain);
}

/**
 * The registry's own name, which is asked about where the zone delegates it. It speaks for the zone above it; for `co.uk` it has
 * to do where no name of that zone is known. null: it cannot be a canary.
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

/** The memory after a name was found; those that were missing beside it are gone. A doubt stays as long as it lasts. */
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

/** The memory once the source is believed to have no record of the name. */
export function withoutCanary(memory: CanaryMemory, domain: string): CanaryMemory {
  return { ...memory, known: memory.known.filter((one) => one.domain !== domain) };
}

/**
 * Whether a believed absence ends the name's use as a canary. Nothing is proven by a source of which no other name is known, nor
 * by the first look of a watch.
 */
export function endsCanary({ canary, isChange }: Testimony, purpose: Purpose): boolean {
  return canary !== 'unproven' && (purpose === 'check' || isChange);
}

/** Returns 24 random letters, below which nothing is registered in any TLD. */
export function randomLabel(): string {
  return Array.from({ length: 24 }, () => String.fromCharCode(97 + randomInt(26))).join('');
}
