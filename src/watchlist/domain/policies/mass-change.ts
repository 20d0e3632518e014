import { hash } from 'node:crypto';
import type { RecordChange } from '../../../domains/language.js';
import type { TimeUnits } from '../../../kernel/time-units.js';
import { fingerprintOf } from '../watched-name/record-fingerprint.js';

/** How often an account saw the same change of a registration record, since when. */
export interface ChangeWindow {
  readonly startedAt: Date;
  readonly changes: number;
  /** Whether there were too many to send each one; the following windows begin with that. */
  readonly isMass: boolean;
}

/** Other names of an account with the same change. */
export interface MassChange {
  readonly others: number;
  readonly since: Date;
  /** Whether this change is the one that is sent for all of them. */
  readonly isSummary: boolean;
}

interface ComparedChange extends Pick<RecordChange, 'kind' | 'after'> {
  /** Back to the value before the last change. */
  readonly isReturn: boolean;
}

interface Watcher {
  readonly intent: string;
  readonly tags: readonly string[];
}

/** Kinds whose values differ from name to name, also when a registry or a registrar changes all of them. */
const VARYING_KINDS: readonly string[] = ['ds', 'last_transfer'];
const KEY_LENGTH = 22;

/**
 * Equal for changes that are the same to an account, and that its channels cannot distinguish. A change to another value
 * has another key, so that a hijacked name does not pass as one of thousands that a registrar takes over.
 */
export function massChangeKey(operator: string, { kind, after, isReturn }: ComparedChange, { intent, tags }: Watcher) {
  const sameValue = VARYING_KINDS.includes(kind) ? '' : fingerprintOf(kind, after);
  const compared = [operator, kind, isReturn ? 'return' : sameValue, intent, tags.toSorted()];
  return hash('sha256', JSON.stringify(compared), 'base64url').slice(0, KEY_LENGTH);
}

/**
 * Counts one more change.
 * @param changesPerHour this many are sent one by one
 * @returns the window with it, and the mass that it belongs to; null: it is sent by itself
 */
export function countChange(window: ChangeWindow, now: Date, changesPerHour: number, { hour }: TimeUnits) {
  const ageMs = now.getTime() - window.startedAt.getTime();
  if (ageMs < hour) return countWithin(window, changesPerHour);
  const isMass = window.isMass && ageMs < 2 * hour;
  const mass = isMass ? { others: window.changes, since: window.startedAt, isSummary: true } : null;
  return { window: { startedAt: now, changes: 1, isMass }, mass };
}

function countWithin({ startedAt, changes: others, isMass: wasMass }: ChangeWindow, changesPerHour: number) {
  const isMass = wasMass || others >= changesPerHour;
  const mass: MassChange | null = isMass ? { others, since: startedAt, isSummary: !wasMass } : null;
  return { window: { startedAt, changes: others + 1, isMass }, mass };
}
