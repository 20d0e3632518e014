import type { EntryDetails, Evidence, Interval, Lifecycle } from '../../../../clients/typescript/src/index.js';
import { describeDay, describeInstant } from '../../components/time-text.js';

type StageId =
  'registered' | 'expiring' | 'expired_grace' | 'redemption' | 'pending_delete' | 'drop_window' | 'available';

export interface Stage {
  readonly id: StageId;
  readonly label: string;
  /** The same moment as `when`, for a picture. It is null if unknown. */
  readonly at: Date | null;
  /** When the stage began or begins; null if unknown. */
  readonly when: string | null;
  /** The source of the date; null without a date. */
  readonly from: string | null;
  readonly state: 'past' | 'current' | 'future';
  /** The elapsed share of the current stage, from 0 to 1; null if its end is unknown. */
  readonly progress: number | null;
}

interface Known {
  readonly details: EntryDetails;
  readonly lifecycle: Lifecycle | null;
  readonly evidence: readonly Evidence[];
  /** Newest first. */
  readonly history: readonly Interval[];
}

const LABELS: readonly { readonly id: StageId; readonly label: string }[] = [
  { id: 'registered', label: 'Registered' },
  { id: 'expiring', label: 'Expiring' },
  { id: 'expired_grace', label: 'Expired, in grace' },
  { id: 'redemption', label: 'Redemption' },
  { id: 'pending_delete', label: 'Pending delete' },
  { id: 'drop_window', label: 'Drop window' },
  { id: 'available', label: 'Available' },
];
const DAY_MS = 86_400_000;

/** Returns all stages of a name's life. Call this only after the registry's first answer. */
export function toStages(known: Known, now: Date): readonly Stage[] {
  const stage = currentStage(known, now);
  const current = LABELS.findIndex(({ id }) => id === stage);
  const begins = LABELS.map(({ id }) => beginOf(id, known));
  return LABELS.map(({ id, label }, index) => {
    const begin = begins[index] ?? null;
    const state = index < current ? 'past' : index === current ? 'current' : 'future';
    const next = begins[index + 1]?.at ?? null;
    const progress = state === 'current' ? progressBetween(begin?.at ?? null, next, now) : null;
    return { id, label, at: begin?.at ?? null, when: begin?.text ?? null, from: begin?.from ?? null, state, progress };
  });
}

/** Returns null for a reserved name, which has no stages. */
function currentStage({ details: { phase }, lifecycle }: Known, now: Date): StageId | null {
  if (phase === 'reserved') return null;
  const window = lifecycle?.drop_window;
  if (phase === 'pending_delete' && window && Date.parse(window.earliest) <= now.getTime()) return 'drop_window';
  if (phase === 'pending_restore') return 'redemption';
  if (phase === 'hold') return 'registered';
  return LABELS.find(({ id }) => id === phase)?.id ?? null;
}

interface Begin {
  readonly at: Date;
  readonly text: string;
  readonly from: string;
}

function beginOf(id: StageId, known: Known): Begin | null {
  const { details, lifecycle, evidence } = known;
  const isGone = details.phase === 'available';
  const source = describeSources(evidence);
  switch (id) {
    case 'registered':
      return onDay(isGone ? null : (lifecycle?.registered_at ?? null), `Date of the registration, ${source}`);
    case 'expiring':
      return isGone ? null : expiringFrom(details);
    case 'expired_grace':
      return (
        seenSince('expired_grace', known) ?? onDay(isGone ? null : details.expires_at, `Date of the expiry, ${source}`)
      );
    case 'redemption':
    case 'pending_delete':
    case 'available':
      return seenSince(id, known);
    case 'drop_window':
      return dropWindow(lifecycle);
  }
}

function expiringFrom({ expires_at: expiresAt, expiring_window_days: days }: EntryDetails): Begin | null {
  if (expiresAt === null) return null;
  const at = new Date(Date.parse(expiresAt) - days * DAY_MS);
  return { at, text: describeDay(at), from: `${days} days before the expiry, as this entry is set` };
}

/** Finds when a phase began in the current registration. Ignores earlier registrations of the name. */
function seenSince(phase: string, { details, history }: Known): Begin | null {
  const end = details.phase === 'registered' ? 0 : history.findIndex((interval) => interval.phase === 'registered');
  const thisLife = end === -1 ? history : history.slice(0, end);
  const interval = thisLife.find((one) => one.phase === phase);
  if (!interval) return null;
  const at = new Date(interval.first_seen_at);
  return { at, text: describeInstant(at), from: `First seen by a check, ${describeSources(interval.evidence)}` };
}

function dropWindow(lifecycle: Lifecycle | null): Begin | null {
  const window = lifecycle?.drop_window;
  if (!window) return null;
  const at = new Date(window.earliest);
  const end = window.latest ?? window.likely;
  const text = end === null ? `from ${describeDay(at)}` : `${describeDay(at)} – ${describeDay(new Date(end))}`;
  return { at, text, from: `Calculated: ${window.basis}` };
}

function onDay(at: string | null, from: string): Begin | null {
  if (at === null) return null;
  return { at: new Date(at), text: describeDay(new Date(at)), from };
}

/** Returns a text such as `by RDAP of rdap.example.net`. */
function describeSources(evidence: readonly Evidence[]): string {
  const [first] = evidence;
  if (!first) return 'by the registry';
  if (first.source === 'sandbox') return 'simulated by the sandbox';
  return `by ${first.source.toUpperCase()} of ${first.server}`;
}

function progressBetween(begin: Date | null, end: Date | null, now: Date): number | null {
  if (!begin || !end || end <= begin) return null;
  const share = (now.getTime() - begin.getTime()) / (end.getTime() - begin.getTime());
  return Math.min(1, Math.max(0, share));
}
