import { phaseLabel, phaseTone, type Tone } from './phase-words.js';

/** A state in a word. The colour repeats the word. */
export function Badge({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span class="badge" data-tone={tone}>
      {children}
    </span>
  );
}

export function PhaseBadge({ phase }: { phase: string }) {
  return <Badge tone={phaseTone(phase)}>{phaseLabel(phase)}</Badge>;
}
