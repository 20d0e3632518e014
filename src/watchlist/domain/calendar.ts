import type { LifecyclePhase } from '../../domains/language.js';
import { after, DAY } from '../../kernel/clock.js';
import { toPrintableLine } from '../../kernel/printable-line.js';
import type { Renewal } from './entry-settings.js';
import { effectiveRemindDays } from './expiry-reminders.js';
import { type Need, needsOf, type NeedyEntry } from './needs.js';

export interface DatedEntry extends NeedyEntry {
  readonly id: string;
  readonly domain: string;
  readonly phase: LifecyclePhase;
  /** The day on which the registry renewed the name automatically; null if unknown. */
  readonly autoRenewedOn: Date | null;
  /** When the name may become available; null if unknown, or if the name is not being deleted. */
  readonly dropWindow: { readonly earliest: Date; readonly latest: Date | null } | null;
  readonly renewal: Renewal | null;
  readonly remindDays: readonly number[] | null;
  readonly tags: readonly string[];
  readonly note: string | null;
  readonly updatedAt: Date;
}

export interface CalendarDate {
  /** The id stays the same when the date changes, so that calendar programs move the event. */
  readonly uid: string;
  readonly domain: string;
  readonly summary: string;
  readonly lines: readonly string[];
  readonly start: Date;
  /** The moment after the event; equal to the start if the event takes no time. */
  readonly end: Date;
  readonly isAllDay: boolean;
  readonly remindDays: readonly number[];
  readonly updatedAt: Date;
}

/** The calendar shows each of these needs as an all-day event that includes today, as long as the need exists. */
const TODAY: Readonly<Partial<Record<Need, { readonly kind: string; readonly what: string }>>> = {
  lost: { kind: 'lost', what: 'was lost: anyone can register it' },
  about_to_be_deleted: { kind: 'deletion', what: 'is about to be deleted' },
  available_and_wanted: { kind: 'available', what: 'is available: register it' },
  in_redemption: { kind: 'restore', what: 'is in redemption' },
  in_grace: { kind: 'grace', what: 'is in its grace period: renew it' },
};
export const NEEDS_OF_TODAY = Object.keys(TODAY) as readonly Need[];

/** Returns the calendar events of an entry, urgent events first. A name that is being deleted has no expiry event. */
export function toCalendarDates(entry: DatedEntry, now: Date): CalendarDate[] {
  const today = startOfDay(now);
  const urgent = needsOf(entry, now).flatMap((need) => {
    const event = TODAY[need];
    const from = need === 'in_grace' ? startOfDay(graceSince(entry, now) ?? now) : today;
    const advice = need === 'in_redemption' && entry.purpose === 'own' ? ': restore it' : '';
    return event ? [allDay(entry, event.kind, event.what + advice, { from, to: today })] : [];
  });
  return [...urgent, ...comingDates(entry)];
}

function graceSince({ expiresAt, autoRenewedOn }: DatedEntry, now: Date): Date | null {
  return expiresAt && expiresAt < now ? expiresAt : autoRenewedOn;
}

function comingDates(entry: DatedEntry): CalendarDate[] {
  const { phase, expiresAt, dropWindow, renewal } = entry;
  if (phase === 'redemption' || phase === 'pending_restore' || phase === 'pending_delete')
    return dropWindow ? [toDrop(entry, dropWindow)] : [];
  if (phase === 'expired_grace' || phase === 'available' || phase === 'reserved') return [];
  if (expiresAt) return [moment(entry, 'expiry', 'expires', expiresAt, expiresAt)];
  if (!renewal) return [];
  const day = new Date(`${renewal.on}T00:00:00.000Z`);
  return [allDay(entry, 'renewal', 'has to be renewed', { from: day, to: day, note: renewal.note })];
}

function toDrop(entry: DatedEntry, { earliest, latest }: NonNullable<DatedEntry['dropWindow']>): CalendarDate {
  return { ...moment(entry, 'drop', 'may become available', earliest, latest ?? earliest), remindDays: [] };
}

function moment(entry: DatedEntry, kind: string, what: string, start: Date, end: Date): CalendarDate {
  return { ...describe(entry, kind, what), start, end, isAllDay: false };
}

interface Days {
  readonly from: Date;
  readonly to: Date;
  readonly note?: string | null;
}

function allDay(entry: DatedEntry, kind: string, what: string, { from, to, note = null }: Days): CalendarDate {
  const { lines, remindDays, ...described } = describe(entry, kind, what);
  const span = { start: from, end: after(to, DAY), isAllDay: true };
  const isUpcoming = kind === 'renewal';
  const noted = note === null ? lines : [toPrintableLine(note), ...lines];
  return { ...described, ...span, lines: noted, remindDays: isUpcoming ? remindDays : [] };
}

function describe(entry: DatedEntry, kind: string, what: string) {
  const { id, domain, tags, note, purpose, remindDays, updatedAt } = entry;
  return {
    uid: `${id}.${kind}@namewatch`,
    domain,
    summary: `${toPrintableLine(domain)} ${what}`,
    lines: [
      ...(tags.length > 0 ? [`Tags: ${tags.map(toPrintableLine).join(', ')}`] : []),
      ...(note === null ? [] : [`Note: ${toPrintableLine(note)}`]),
    ],
    remindDays: effectiveRemindDays(remindDays, purpose),
    updatedAt,
  };
}

function startOfDay(at: Date): Date {
  return new Date(Math.floor(at.getTime() / DAY) * DAY);
}
