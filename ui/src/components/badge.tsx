import { phaseLabel, phaseTone, type Tone } from './phase-words.js';

/** Shows a state as a word, with a colour of the same meaning. */
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
