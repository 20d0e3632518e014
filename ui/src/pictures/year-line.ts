import { phaseLabel } from '../components/phase-words.js';
import { describeDay } from '../components/time-text.js';
import { placeBetween } from './scales.js';

interface YearPart {
  readonly phase: string;
  /** Positions within the year, from 0 to 1. */
  readonly from: number;
  readonly to: number;
}

export interface YearLine {
  readonly parts: readonly YearPart[];
  /** The whole line in words. */
  readonly text: string;
}

const YEAR_MS = 365 * 86_400_000;

/** Places the last year's phases on a line to scale. Returns null if none changed. @param phases the oldest first */
export function toYearLine(
  phases: readonly { readonly phase: string; readonly since: string }[],
  now: Date,
): YearLine | null {
  const changes = phases.filter(({ phase }, index) => phase !== phases[index - 1]?.phase);
  if (changes.length < 2) return null;
  const place = (at: string | undefined) =>
    at === undefined ? 1 : placeBetween(Date.parse(at), now.getTime() - YEAR_MS, now.getTime());
  const parts = changes.map(({ phase, since }, index) => ({
    phase,
    from: place(since),
    to: place(changes[index + 1]?.since),
  }));
  const text = changes
    .map(({ phase, since }) => `${phaseLabel(phase)} since ${describeDay(new Date(since))}`)
    .join(', ');
  return { parts, text };
}
