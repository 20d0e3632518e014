import type { DropWindow, ExpandedEntry } from '../../../../clients/typescript/src/index.js';

/** An event of a name on a day, or on any day of a range. */
export interface AgendaItem {
  /** A `renewal` is a day that the user set, for a name whose registry publishes no expiry. */
  readonly kind: 'expiry' | 'drop' | 'renewal';
  readonly entryId: string;
  readonly domain: string;
  /** RFC 3339, UTC: the expiry, or the earliest time at which the registry deletes the name. */
  readonly at: string;
  readonly dropWindow: DropWindow | null;
  /** The note about a renewal. */
  readonly note: string | null;
  /** All possible days, as `2026-11-22` in UTC. The list shows the item on the first. */
  readonly days: readonly string[];
}

/** A span of days, including the first and excluding the last. */
export interface Span {
  readonly from: string;
  readonly before: string;
}

export const AGENDA_DAYS = 90;
const DAY_MS = 86_400_000;

export function dayOf(instant: Date | string): string {
  return new Date(instant).toISOString().slice(0, 10);
}

function addDays(day: string, days: number): string {
  return dayOf(new Date(Date.parse(day) + days * DAY_MS));
}

export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
}

export function agendaSpan(now: Date): Span {
  const from = dayOf(now);
  return { from, before: addDays(from, AGENDA_DAYS) };
}

/** Returns an expected deletion (drop), or else an expiry or a renewal. Returns null outside of the span. */
export function toAgendaItem(entry: ExpandedEntry, span: Span): AgendaItem | null {
  const { id, domain, status, lifecycle, details } = entry;
  const named = { entryId: id, domain, note: null };
  const window = lifecycle?.drop_window ?? null;
  if (window) {
    const days = daysWithin(dayOf(window.earliest), dayOf(window.latest ?? window.likely ?? window.earliest), span);
    return days.length === 0 ? null : { ...named, kind: 'drop', at: window.earliest, dropWindow: window, days };
  }
  if (status === 'pending_delete' || status === 'available') return null;
  const at = lifecycle?.expires_at ?? null;
  const renewal = details?.renewal ?? null;
  if (at === null && renewal !== null) {
    const days = daysWithin(renewal.on, renewal.on, span);
    const { on, note } = renewal;
    return days.length === 0 ? null : { ...named, kind: 'renewal', at: on, dropWindow: null, note, days };
  }
  if (at === null) return null;
  const days = daysWithin(dayOf(at), dayOf(at), span);
  return days.length === 0 ? null : { ...named, kind: 'expiry', at, dropWindow: null, days };
}

/** Groups items by their first day. Sorts days by time, and the items of a day by name. */
export function itemsByFirstDay(items: readonly AgendaItem[]): ReadonlyMap<string, readonly AgendaItem[]> {
  const sorted = [...items].sort((a, b) => compare(a.days[0] ?? '', b.days[0] ?? '') || compare(a.domain, b.domain));
  return Map.groupBy(sorted, ({ days }) => days[0] ?? '');
}

/** The counts of a day. `guess` counts drops with a window of weeks, whose day is uncertain. */
export type DayCount = Record<'expiry' | 'renewal' | 'drop' | 'guess', number>;

/** Counts the expiries, renewals and drops of each day. A drop counts on each day of its window. */
export function countsByDay(items: readonly AgendaItem[]): ReadonlyMap<string, DayCount> {
  const counts = new Map<string, DayCount>();
  for (const { kind, dropWindow, days } of items) {
    for (const day of days) {
      const count = counts.get(day) ?? { expiry: 0, renewal: 0, drop: 0, guess: 0 };
      count[dropWindow && dropWindow.confidence !== 'high' ? 'guess' : kind] += 1;
      counts.set(day, count);
    }
  }
  return counts;
}

/** Returns the months of a span, each with weeks from Monday to Sunday. Days outside the month are null. */
export function monthsOf({ from, before }: Span): readonly { month: string; weeks: readonly (string | null)[][] }[] {
  const months = new Set(daysWithin(from, before, { from, before }).map((day) => day.slice(0, 7)));
  return [...months].map((month) => ({ month, weeks: weeksOf(month) }));
}

function weeksOf(month: string): (string | null)[][] {
  const first = `${month}-01`;
  const blanks = (new Date(first).getUTCDay() + 6) % 7;
  const cells: (string | null)[] = Array.from({ length: blanks }, () => null);
  for (let day = first; day.startsWith(month); day = addDays(day, 1)) cells.push(day);
  while (cells.length % 7 !== 0) cells.push(null);
  return Array.from({ length: cells.length / 7 }, (_, week) => cells.slice(week * 7, week * 7 + 7));
}

function daysWithin(first: string, last: string, { from, before }: Span): string[] {
  const days: string[] = [];
  for (let day = first < from ? from : first; day <= last && day < before; day = addDays(day, 1)) days.push(day);
  return days;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
