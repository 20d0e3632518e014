import type { Lifecycle, RegistrationFacts } from '../../../domains/language.js';
import { after, DAY } from '../../../kernel/clock.js';

/** Days before the expiry at which a watcher is reminded. */
export const REMINDER_DAYS = [60, 30, 14, 7, 3, 1] as const;
/** An expiry that moves forward by as much was renewed, and is reminded of anew; a smaller step is a correction. */
const MIN_RENEWAL_MS = 28 * DAY;

/** The tightest rung that was told, and the expiry it was told of; null before the first. */
export interface LastReminder {
  readonly days: number;
  readonly expiresAt: Date;
}

/**
 * The tightest rung crossed that was not yet told of this expiry, or null. Who comes late gets that one alone, not all
 * that are past.
 */
export function dueReminder(expiresAt: Date, last: LastReminder | null, now: Date): number | null {
  const msLeft = expiresAt.getTime() - now.getTime();
  if (msLeft < 0) return null;
  const crossed = REMINDER_DAYS.filter((days) => msLeft <= days * DAY).at(-1) ?? null;
  return crossed !== null && crossed < lastReminderDays(expiresAt, last) ? crossed : null;
}

/** The next instant at which a rung is crossed; now, when one is already. */
export function nextReminderAt(expiresAt: Date, last: LastReminder | null, now: Date): Date | null {
  if (dueReminder(expiresAt, last, now) !== null) return now;
  const lastDays = lastReminderDays(expiresAt, last);
  const upcoming = REMINDER_DAYS.filter((days) => days < lastDays).map((days) => after(expiresAt, -days * DAY));
  return upcoming.find((instant) => instant > now) ?? null;
}

/** The expiry to be reminded of: none where the name is on its way out, reserved, or renewed by the registry itself. */
export function expiryToRemindOf({ phase }: Lifecycle, { expiresAt }: RegistrationFacts): Date | null {
  return phase === 'registered' || phase === 'expiring' || phase === 'hold' ? expiresAt : null;
}

function lastReminderDays(expiresAt: Date, last: LastReminder | null): number {
  if (!last || expiresAt.getTime() - last.expiresAt.getTime() >= MIN_RENEWAL_MS) return Infinity;
  return last.days;
}
