/** What happened to a name, as an event and its deliveries say it; null or absent where it does not apply. */
export interface Happening {
  readonly status?: string | null;
  readonly previous_status?: string | null;
  readonly phase?: string | null;
  readonly previous_phase?: string | null;
  readonly move?: string | null;
  readonly kind?: string | null;
  readonly threshold_days?: number | null;
}

/** @returns null where neither status, phase nor record changed and nothing is due, as in the news of failing checks */
export function toHappening(happening: Happening): string | null {
  const { status, previous_status: before, phase, previous_phase: beforePhase } = happening;
  const { move, kind, threshold_days: days } = happening;
  if (kind) return spaced(`${kind} changed`);
  // What it was before is what every entry starts with: nobody saw it change.
  if (move === 'discovered') return spaced(`first answer: ${(status === before ? phase : status) ?? ''}`);
  if (status !== before) return spaced(`${before ?? ''} -> ${status ?? ''}`);
  if (phase !== beforePhase) return spaced(`${beforePhase ?? ''} -> ${phase ?? ''}`);
  return days ? `reminder, ${days} days before the expiry` : null;
}

function spaced(text: string): string {
  return text.replaceAll('_', ' ');
}
