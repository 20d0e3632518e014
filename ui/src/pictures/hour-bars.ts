import { countOf, heightsOf } from './scales.js';

export interface HourCount {
  /** When the hour began. */
  readonly hour: string;
  readonly answers: number;
  readonly errors: number;
  readonly average_ms: number;
}

interface Bar {
  readonly hour: string;
  /** Shows how long an average query took. */
  readonly height: number;
  readonly hasErrors: boolean;
  readonly text: string;
}

export interface HourBars {
  readonly bars: readonly Bar[];
  readonly text: string;
}

const HOURS = 24;
const HOUR_MS = 3_600_000;
const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

/** Makes a bar for each of the last 24 hours. Its height is the average time. Returns null without any query. */
export function toHourBars(hours: readonly HourCount[], now: Date, room: number): HourBars | null {
  const last = Math.floor(now.getTime() / HOUR_MS);
  const byHour = new Map(hours.map((one) => [Math.floor(Date.parse(one.hour) / HOUR_MS), one]));
  const shown = Array.from({ length: HOURS }, (_, n) => last - HOURS + 1 + n).map((at) => {
    return byHour.get(at) ?? { hour: new Date(at * HOUR_MS).toISOString(), answers: 0, errors: 0, average_ms: 0 };
  });
  const asked = shown.filter(({ answers, errors }) => answers + errors > 0);
  if (asked.length === 0) return null;
  const heights = heightsOf(
    shown.map(({ answers, errors, average_ms: ms }) => (answers + errors === 0 ? 0 : Math.max(1, ms))),
    room,
  );
  const bars = shown.map((one, index) => ({
    hour: one.hour,
    height: heights[index] ?? 0,
    hasErrors: one.errors > 0,
    text: `${time.format(new Date(one.hour))}: ${describe(one)}`,
  }));
  const [answers, errors] = [sum(asked, 'answers'), sum(asked, 'errors')];
  const queries = asked.reduce((all, one) => all + one.average_ms * (one.answers + one.errors), 0);
  return { bars, text: describe({ answers, errors, average_ms: Math.round(queries / (answers + errors)) }) };
}

function sum(hours: readonly HourCount[], field: 'answers' | 'errors'): number {
  return hours.reduce((all, one) => all + one[field], 0);
}

function describe({ answers, errors, average_ms: ms }: Omit<HourCount, 'hour'>): string {
  if (answers + errors === 0) return 'not asked';
  return `${countOf(answers, 'answer')}, ${countOf(errors, 'error')}, ${ms.toLocaleString('en')} ms on average`;
}
