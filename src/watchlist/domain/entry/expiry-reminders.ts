import type { Lifecycle, RegistrationFacts } from '../../../domains/language.js';
import { after, DAY } from '../../../kernel/clock.js';
import { MIN_RENEWAL_MS } from './move.js';

/** Days before the expiry at which a reminder is sent. */
const REMINDER_DAYS = [60, 30, 14, 7, 3, 1] as const;

/** The last reminder sent, and the expiry it was about; null before the first. */
export interface LastReminder {
  readonly days: number;
  readonly expiresAt: Date;
}

/** The reminder that is due now, or null. After a long gap only the latest one is sent. */
export function dueReminder(expiresAt: Date, last: LastReminder | null, now: Date): number | null {
  const msLeft = expiresAt.getTime() - now.getTime();
  if (msLeft < 0) return null;
  const crossed = REMINDER_DAYS.filter((days) => msLeft <= days * DAY).at(-1) ?? null;
  return crossed !== null && crossed < lastReminderDays(expiresAt, last) ? crossed : null;
}

/** When the next reminder is due; now, when one is overdue. */
export function nextReminderAt(expiresAt: Date, last: LastReminder | null, now: Date): Date | null {
  if (dueReminder(expiresAt, last, now) !== null) return now;
  const lastDays = lastReminderDays(expiresAt, last);
  const upcoming = REMINDER_DAYS.filter((days) => days < lastDays).map((days) => after(expiresAt, -days * DAY));
  return upcoming.find((instant) => instant > now) ?? null;
}

/** The expiry to remind of; null when the name is being deleted, reserved, or in auto-renew grace. */
export function expiryToRemindOf({ phase }: Lifecycle, { expiresAt }: RegistrationFacts): Date | null {
  return phase === 'registered' || phase === 'expiring' || phase === 'hold' ? expiresAt : null;
}

function lastReminderDays(expiresAt: Date, last: LastReminder | null): number {
  if (!last || expiresAt.getTime() - last.expiresAt.getTime() >= MIN_RENEWAL_MS) return Infinity;
  return last.days;
}
