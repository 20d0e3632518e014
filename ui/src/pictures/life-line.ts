import { placeBetween } from './scales.js';

interface DatedStage {
  readonly id: string;
  readonly label: string;
  readonly at: Date | null;
  readonly when: string | null;
  readonly from: string | null;
}

interface Segment {
  readonly id: string;
  readonly label: string;
  /** Positions on the line, from 0 to 1. */
  readonly from: number;
  readonly to: number;
  /** The tooltip, with the date and its source. */
  readonly text: string;
}

export interface LifeLine {
  readonly segments: readonly Segment[];
  /** The position of the current time, from 0 to 1. */
  readonly now: number;
  /** The start of each year within the line, with its position from 0 to 1. */
  readonly years: readonly { readonly year: number; readonly at: number }[];
  /** The whole line in words. */
  readonly text: string;
}

/** More labels would touch each other. */
const MAX_YEARS = 8;
/** To the right of this position there is no room for a label. */
const LAST_YEAR_PLACE = 0.92;

/**
 * Places the stages with a date on a line to scale. Returns null if no date is known.
 * @param end the last known date, such as that of the expiry or of the drop
 */
export function toLifeLine(stages: readonly DatedStage[], end: Date | null, now: Date): LifeLine | null {
  const dated = stages
    .flatMap((stage) => (stage.at ? [{ ...stage, time: stage.at.getTime() }] : []))
    .toSorted((one, other) => one.time - other.time);
  const [first] = dated;
  if (!first) return null;
  const last = Math.max(end?.getTime() ?? 0, now.getTime(), dated.at(-1)?.time ?? 0);
  const from = Math.min(first.time, now.getTime());
  if (last <= from) return null;
  const place = (time: number) => placeBetween(time, from, last);
  const segments = dated.map(({ id, label, time, when, from: source }, index) => ({
    ...{ id, label },
    from: place(time),
    to: place(dated[index + 1]?.time ?? last),
    text: [`${label}: ${when ?? ''}`, ...(source === null ? [] : [source])].join('. '),
  }));
  const text = dated.map(({ label, when }) => `${label}: ${when ?? 'date not known'}`).join('; ');
  return { segments, now: place(now.getTime()), years: yearsBetween(from, last), text };
}

function yearsBetween(from: number, to: number): LifeLine['years'] {
  const [first, last] = [new Date(from).getUTCFullYear() + 1, new Date(to).getUTCFullYear()];
  const step = Math.max(1, Math.ceil((last - first + 1) / MAX_YEARS));
  const count = Math.max(0, Math.floor((last - first) / step) + 1);
  return Array.from({ length: count }, (_, n) => {
    const year = first + n * step;
    return { year, at: placeBetween(Date.UTC(year, 0), from, to) };
  }).filter(({ at }) => at <= LAST_YEAR_PLACE);
}
