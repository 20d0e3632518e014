import type { EntryDetails, Lifecycle } from '../../../../clients/typescript/src/index.js';
import type { Tone } from '../../components/phase-words.js';
import { phaseLabel } from '../../components/phase-words.js';
import { describeDay, describeDistance, nearness } from '../../components/time-text.js';
import { driftWords } from './record-words.js';

export interface Verdict {
  readonly tone: Tone;
  readonly text: string;
}

interface Known {
  readonly details: Pick<
    EntryDetails,
    'phase' | 'purpose' | 'expires_at' | 'drift' | 'pending_confirmation' | 'paused'
  >;
  /** null before the registry's first answer. */
  readonly lifecycle: Pick<Lifecycle, 'drop_window' | 'auto_renewed_on'> | null;
  /** When a record last changed, if it did. */
  readonly recordChangedAt: string | null;
}

/**
 * Returns the most important fact about a name in a sentence. The loss of the name comes first, then differences from
 * the expected record, then future dates.
 */
export function verdictOf({ details, lifecycle, recordChangedAt }: Known, now: Date): Verdict {
  const { phase, purpose, drift, pending_confirmation: pending, paused } = details;
  if (lifecycle === null) return { tone: 'note', text: 'The registry has not answered yet, so nothing is known.' };
  const lost = deletionVerdict(phase, purpose, lifecycle, now);
  if (lost) return lost;
  if (pending)
    return {
      tone: 'note',
      text: `One check found “${phaseLabel(pending.status)}”. It counts when a second check confirms it.`,
    };
  if (drift.length > 0) return { tone: 'bad', text: driftVerdict(drift, recordChangedAt, now) };
  const calm = calmVerdict(details, now);
  return paused ? { ...calm, text: `${calm.text} Checks are paused.` } : calm;
}

function deletionVerdict(
  phase: EntryDetails['phase'],
  purpose: EntryDetails['purpose'],
  { drop_window: drop, auto_renewed_on: renewedOn }: NonNullable<Known['lifecycle']>,
  now: Date,
): Verdict | null {
  const when = drop ? ` It may become free ${describeDrop(new Date(drop.earliest), now)}.` : '';
  switch (phase) {
    case 'available':
      if (purpose === 'own') return { tone: 'bad', text: 'You lost this name: anyone can register it.' };
      if (purpose === 'acquire') return { tone: 'good', text: 'Free: you can register it now.' };
      return { tone: 'good', text: 'Free: anyone can register it.' };
    case 'pending_delete':
      return { tone: 'bad', text: `The registry is deleting it, and nobody can restore it.${when}` };
    case 'redemption':
      return { tone: 'bad', text: `Deleted. Only its registrar can still restore it.${when}` };
    case 'pending_restore':
      return { tone: 'warn', text: 'Its registrar is restoring it from deletion.' };
    case 'expired_grace':
      return renewedOn === null
        ? { tone: 'bad', text: 'Expired. Renew it now, while the grace period lasts.' }
        : { tone: 'warn', text: 'Expired. Auto-renewed by the registry. Confirm with your registrar.' };
    case 'registered':
    case 'reserved':
    case 'hold':
    case 'expiring':
      return null;
  }
}

function describeDrop(earliest: Date, now: Date): string {
  return earliest > now ? describeDistance(earliest, now) : 'at any moment';
}

function driftVerdict(drift: EntryDetails['drift'], changedAt: string | null, now: Date): string {
  const what = driftWords(drift);
  const isMany = drift.length > 1 || drift[0] === 'nameservers';
  if (changedAt === null) return `${what} ${isMany ? 'are' : 'is'} not what you expect.`;
  return `${what} changed ${describeDistance(new Date(changedAt), now)}; this is not what you expect.`;
}

function calmVerdict({ phase, expires_at: expiresAt }: Known['details'], now: Date): Verdict {
  if (phase === 'reserved') return { tone: 'note', text: 'The registry keeps this name for itself.' };
  if (expiresAt === null) return { tone: 'calm', text: 'Registered. The registry publishes no expiry date.' };
  const at = new Date(expiresAt);
  const near = nearness(at, now);
  const tone = near === 'past' || near === 'week' ? 'bad' : phase === 'expiring' || near === 'month' ? 'warn' : 'calm';
  const verb = near === 'past' ? 'expired' : 'expires';
  return { tone, text: `Registered; ${verb} ${describeDistance(at, now)}, on ${describeDay(at)}.` };
}
