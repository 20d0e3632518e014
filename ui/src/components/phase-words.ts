import type { Entry } from '../../../clients/typescript/src/index.js';

export type Tone = 'good' | 'calm' | 'warn' | 'bad' | 'note';

interface PhaseWords {
  readonly label: string;
  readonly tone: Tone;
}

const PHASES: Readonly<Record<string, PhaseWords>> = {
  available: { label: 'Available', tone: 'good' },
  registered: { label: 'Registered', tone: 'calm' },
  reserved: { label: 'Reserved', tone: 'note' },
  hold: { label: 'On hold', tone: 'note' },
  expiring: { label: 'Expiring', tone: 'warn' },
  expired_grace: { label: 'Expired, in grace', tone: 'warn' },
  redemption: { label: 'Redemption', tone: 'bad' },
  pending_restore: { label: 'Being restored', tone: 'warn' },
  pending_delete: { label: 'Pending delete', tone: 'bad' },
} satisfies Readonly<Record<Entry['phase'] | Entry['status'], PhaseWords>>;

/** Returns the label of an API phase such as `pending_delete`. */
export function phaseLabel(phase: string): string {
  return PHASES[phase]?.label ?? phase.replaceAll('_', ' ');
}

export function phaseTone(phase: string): Tone {
  return PHASES[phase]?.tone ?? 'note';
}
