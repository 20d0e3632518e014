import type { DropWindow, ExpandedEntry } from '../../../../clients/typescript/src/index.js';

/** An event of a name on a day, or on any day of a range. */
export interface AgendaItem {
  /** `renewal`: a day of one's own, for a name whose registry publishes no expiry. */
  readonly kind: 'expiry' | 'drop' | 'renewal';
  readonly entryId: string;
  readonly domain: string;
  /** RFC 3339, UTC: when it expires, or when the registry deletes it at the earliest. */
  readonly at: string;
  readonly dropWindow: DropWindow | null;
  /** The note about a renewal. */
  readonly note: string | null;
  /** Every day it may happen on, as `2026-11-22` in UTC; the first one is that of the list. */
  readonly days: readonly string[];
}

/** A span of days, the first one included and the last one not. */
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

/** An entry that is being deleted has a drop; any other one, an expiry or a renewal. Null when none lies in the span. */
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

/** Items by their first day, days and items in order of time, then of name. */
export function itemsByFirstDay(items: readonly AgendaItem[]): ReadonlyMap<string, readonly AgendaItem[]> {
  const sorted = [...items].sort((a, b) => compare(a.days[0] ?? '', b.days[0] ?? '') || compare(a.domain, b.domain));
  return Map.groupBy(sorted, ({ days }) => days[0] ?? '');
}

/** The counts of a day; `guess`: drops whose day is less sure, since their window is weeks long. */
export type DayCount = Record<'expiry' | 'renewal' | 'drop' | 'guess', number>;

/** How many expiries, renewals and drops each day has, a drop on each day of its window. */
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

/** The months that a span touches, each with weeks from Monday to Sunday; null outside of the month. */
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
