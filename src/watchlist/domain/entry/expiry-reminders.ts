import type { Lifecycle, RegistrationFacts } from '../../../domains/language.js';
import { after, DAY } from '../../../kernel/clock.js';

/** Days before the expiry at which a watcher is reminded. */
export const REMINDER_DAYS = [60, 30, 14, 7, 3, 1] as const;
/** An expiry that moves forward by as much was renewed, and is reminded of anew; a smaller step is a correction. */
const RENEWAL = 28 * DAY;

/** The tightest rung that was told, and the expiry it was told of; null before the first. */
export interface LastReminder {
  readonly days: number;
  readonly expiresAt: Date;
}

/**
 * The tightest rung crossed that was not yet told of this expiry, or null. Who comes late gets that one alone, not all
 * that are past.
 */
export function dueReminder(expiresAt: Date, told: LastReminder | null, now: Date): number | null {
  const left = expiresAt.getTime() - now.getTime();
  if (left < 0) return null;
  const crossed = REMINDER_DAYS.filter((days) => left <= days * DAY).at(-1) ?? null;
  return crossed !== null && crossed < lastReminderDays(expiresAt, told) ? crossed : null;
}

/** The next instant at which a rung is crossed; now, when one is already. */
export function nextReminderAt(expiresAt: Date, told: LastReminder | null, now: Date): Date | null {
  if (dueReminder(expiresAt, told, now) !== null) return now;
  const tightest = lastReminderDays(expiresAt, told);
  const instants = REMINDER_DAYS.filter((days) => days < tightest).map((days) => after(expiresAt, -days * DAY));
  return instants.find((instant) => instant > now) ?? null;
}

/** The expiry to be reminded of: none where the name is on its way out, reserved, or renewed by the registry itself. */
export function expiryToRemindOf({ phase }: Lifecycle, { expiresAt }: RegistrationFacts): Date | null {
  return phase === 'registered' || phase === 'expiring' || phase === 'hold' ? expiresAt : null;
}

function lastReminderDays(expiresAt: Date, told: LastReminder | null): number {
  if (!told || expiresAt.getTime() - told.expiresAt.getTime() >= RENEWAL) return Infinity;
  return told.days;
}
