import { phaseLabel, phaseTone, type Tone } from './phase-words.js';

/** A state in a word; its colour says the same once more. */
export function Badge({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span class="badge" data-tone={tone}>
      {children}
    </span>
  );
}

/** The status or the phase of a name. */
export function PhaseBadge({ phase }: { phase: string }) {
  return <Badge tone={phaseTone(phase)}>{phaseLabel(phase)}</Badge>;
}
