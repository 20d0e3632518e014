import { randomInt } from 'node:crypto';
import { after, DAY } from '../../../kernel/clock.js';
import { isBeingDeleted } from '../lifecycle/lifecycle.js';
import type { RegistrationFacts } from '../lifecycle/registration-facts.js';

/** A name that a source found itself, and when: it must find it again. */
interface KnownName {
  readonly domain: string;
  readonly foundAt: Date;
}

/** What is remembered of the canaries of one source and one zone. */
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
const KNOWN_FOR_DAYS = 30;
/** A name that expires sooner may be gone the next time. */
const MIN_DAYS_TO_EXPIRY = 30;

/** Whether a record shows a name that will still be there for weeks. */
export function isLastingRecord(facts: RegistrationFacts, now: Date): boolean {
  if (facts.outcome !== 'found' || isBeingDeleted(facts)) return false;
  return facts.expiresAt === null || facts.expiresAt > after(now, MIN_DAYS_TO_EXPIRY * DAY);
}

/** The names to ask about, without the one that is in question and without those that were found too long ago. */
export function canaryNames({ known }: CanaryMemory, asked: string, now: Date): readonly string[] {
  const earliest = after(now, -KNOWN_FOR_DAYS * DAY);
  return known.filter(({ domain, foundAt }) => domain !== asked && foundAt > earliest).map(({ domain }) => domain);
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

/** Returns 24 random letters, below which nothing is registered in any TLD. */
export function randomLabel(): string {
  return Array.from({ length: 24 }, () => String.fromCharCode(97 + randomInt(26))).join('');
}
