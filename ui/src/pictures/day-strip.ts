import { countOf, heightsOf } from './scales.js';

export interface DayCount {
  /** Such as `2026-12-01`. */
  readonly day: string;
  readonly delivered: number;
  readonly failed: number;
  readonly other: number;
}

interface Part {
  readonly kind: 'delivered' | 'failed' | 'other';
  readonly y: number;
  readonly height: number;
}

interface Column {
  readonly day: string;
  /** From the bottom up: delivered, other, and failed. */
  readonly parts: readonly Part[];
  readonly text: string;
}

export interface DayStrip {
  readonly columns: readonly Column[];
  readonly text: string;
}

const dayName = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** Makes a column for each day. Failures are at the top, where people see them. */
export function toDayStrip(days: readonly DayCount[], room: number): DayStrip {
  const heights = heightsOf(
    days.map(({ delivered, failed, other }) => delivered + failed + other),
    room,
  );
  const columns = days.map((day, index) => {
    const total = day.delivered + day.failed + day.other;
    const unit = total === 0 ? 0 : (heights[index] ?? 0) / total;
    let foot = room;
    const parts = (['delivered', 'other', 'failed'] as const).flatMap((kind) => {
      const height = day[kind] * unit;
      if (height === 0) return [];
      foot -= height;
      return [{ kind, y: foot, height }];
    });
    return { day: day.day, parts, text: `${dayName.format(new Date(day.day))}: ${describe(day)}` };
  });
  const sum = (kind: Part['kind']) => days.reduce((all, day) => all + day[kind], 0);
  return { columns, text: describe({ delivered: sum('delivered'), failed: sum('failed'), other: sum('other') }) };
}

function describe({ delivered, failed, other }: Omit<DayCount, 'day'>): string {
  if (delivered + failed + other === 0) return 'nothing sent';
  const parts = [`${countOf(delivered, 'delivery', 'deliveries')} arrived`, `${failed.toLocaleString('en')} failed`];
  return [...parts, ...(other > 0 ? [`${other.toLocaleString('en')} waiting or held`] : [])].join(', ');
}
