import type { Lifecycle, RegistrationFacts } from '../../domains/language.js';
import { after, DAY } from '../../kernel/clock.js';
import { MIN_RENEWAL_MS } from './move.js';
import type { Renewal, Purpose } from './entry-settings.js';

const DEFAULT_REMIND_DAYS: readonly number[] = [60, 30, 14, 7, 3, 1];

export interface LastReminder {
  readonly days: number;
  readonly expiresAt: Date;
}

interface Reminded extends Lifecycle {
  readonly purpose: Purpose;
  readonly remindDays: readonly number[] | null;
  readonly renewal: Renewal | null;
  readonly lastReminder: LastReminder | null;
}

export function computeReminders(
  entry: Reminded,
  facts: RegistrationFacts,
  now: Date,
): { readonly due: LastReminder | null; readonly nextAt: Date | null } {
  const expiresAt = expiryToRemindOf(entry, facts, entry.renewal);
  if (!expiresAt) return { due: null, nextAt: null };
  const remindDays = effectiveRemindDays(entry.remindDays, entry.purpose);
  const days = dueReminder(expiresAt, entry.lastReminder, now, remindDays);
  const due = days === null ? null : { days, expiresAt };
  return { due, nextAt: nextReminderAt(expiresAt, due ?? entry.lastReminder, now, remindDays) };
}

/** Returns the watcher's own renewal date, unless the registry publishes an expiry date. */
export function renewalInUse({ renewal }: Reminded, { expiresAt }: RegistrationFacts): Renewal | null {
  return expiresAt ? null : renewal;
}

/** A name to acquire has no reminders by default, because somebody else owns the name. */
export function effectiveRemindDays(remindDays: readonly number[] | null, purpose: Purpose): readonly number[] {
  return remindDays ?? (purpose === 'acquire' ? [] : DEFAULT_REMIND_DAYS);
}

/**
 * Returns the due reminder, as a number of days before the expiry, or null. If several reminders were missed, returns
 * the last.
 * @param remindDays descending
 */
function dueReminder(
  expiresAt: Date,
  last: LastReminder | null,
  now: Date,
  remindDays: readonly number[],
): number | null {
  const msLeft = expiresAt.getTime() - now.getTime();
  if (msLeft < 0) return null;
  const crossed = remindDays.filter((days) => msLeft <= days * DAY).at(-1) ?? null;
  return crossed !== null && crossed < lastReminderDays(expiresAt, last) ? crossed : null;
}

function nextReminderAt(
  expiresAt: Date,
  last: LastReminder | null,
  now: Date,
  remindDays: readonly number[],
): Date | null {
  const lastDays = lastReminderDays(expiresAt, last);
  const upcoming = remindDays.filter((days) => days < lastDays).map((days) => after(expiresAt, -days * DAY));
  return upcoming.find((instant) => instant > now) ?? null;
}

function expiryToRemindOf(
  { phase }: Lifecycle,
  { expiresAt }: RegistrationFacts,
  renewal: Renewal | null,
): Date | null {
  if (phase !== 'registered' && phase !== 'expiring' && phase !== 'hold') return null;
  return expiresAt ?? (renewal && new Date(`${renewal.on}T00:00:00.000Z`));
}

function lastReminderDays(expiresAt: Date, last: LastReminder | null): number {
  if (!last || expiresAt.getTime() - last.expiresAt.getTime() >= MIN_RENEWAL_MS) return Infinity;
  return last.days;
}
