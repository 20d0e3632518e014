import type { EntryStatus, LifecyclePhase } from '../../domains/language.js';
import type { Purpose } from './entry-settings.js';
import { type Need, needsOf } from './needs.js';

export interface ClientName {
  readonly domain: string;
  readonly status: EntryStatus;
  readonly phase: LifecyclePhase;
  readonly purpose: Purpose;
  readonly paused: boolean;
  readonly failing: boolean;
  readonly answered: boolean;
  readonly drift: boolean;
  readonly expiresAt: Date | null;
  readonly renewalOn: string | null;
}

type Tone = 'good' | 'calm' | 'warn' | 'bad';

/** A name as a client sees it: in plain words, without details that concern only the watcher. */
export interface ClientRow {
  readonly domain: string;
  readonly state: string;
  readonly tone: Tone;
  readonly expiresAt: Date | null;
  readonly next: string;
}

const STATES: Readonly<Record<LifecyclePhase, readonly [string, Tone]>> = {
  available: ['Available', 'good'],
  registered: ['Registered', 'calm'],
  reserved: ['Reserved', 'calm'],
  hold: ['On hold', 'warn'],
  expiring: ['Expires soon', 'warn'],
  expired_grace: ['Expired, in grace', 'warn'],
  redemption: ['Deleted, can be restored', 'bad'],
  pending_restore: ['Being restored', 'warn'],
  pending_delete: ['About to be deleted', 'bad'],
};

type Words = string | { readonly own: string; readonly other: string };
/** Clients must not learn from these texts which record the watcher expects, or why checks fail. */
const STEPS: Readonly<Record<Need, Words>> = {
  lost: 'Anyone can register it: register it again now',
  about_to_be_deleted: 'Nobody can restore it: register it when it becomes available',
  available_and_wanted: 'Register it now',
  in_redemption: { own: 'Restore it at its registrar now', other: 'Watched until it is deleted or restored' },
  in_grace: { own: 'Renew it now', other: 'Watched until it is renewed or deleted' },
  expires_within_30_days: { own: 'Renew it before it expires', other: 'Watched until it is renewed or deleted' },
  not_as_expected: 'Its registration data changed: check them',
  failing: 'Its registry does not answer at the moment; the state is the last known one',
  never_answered: 'Its registry has not answered yet',
};
const STANDING: Readonly<Record<Purpose, string>> = {
  own: 'Watched; nothing to do',
  acquire: 'Wanted: watched until it becomes available',
  monitor: 'Watched',
};

/** Returns the row of a name. Shows no state until the registry has answered. */
export function toClientRow(name: ClientName, now: Date): ClientRow {
  const { domain, expiresAt, answered, phase } = name;
  const [state, tone]: readonly [string, Tone] = answered ? STATES[phase] : ['Not checked yet', 'calm'];
  return { domain, state, tone, expiresAt: answered ? expiresAt : null, next: toNextStep(name, now) };
}

function toNextStep(name: ClientName, now: Date): string {
  const { paused, purpose, renewalOn } = name;
  if (paused) return 'Not watched at the moment; the state is the last known one';
  const [need] = needsOf(name, now);
  const isOwn = purpose === 'own';
  if (isOwn && renewalOn !== null && (need === undefined || need === 'expires_within_30_days'))
    return `Renewal planned for ${toDay(new Date(`${renewalOn}T00:00:00Z`))}`;
  if (need === undefined) return STANDING[purpose];
  const words = STEPS[need];
  return typeof words === 'string' ? words : isOwn ? words.own : words.other;
}

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });

export function toDay(at: Date): string {
  return day.format(at);
}
