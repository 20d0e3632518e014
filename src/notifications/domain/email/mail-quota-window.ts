import { after } from '../../../kernel/clock.js';
import { mailboxOf } from './address-confirmation.js';
import type { NotificationChannel } from '../channels/notification-channel.js';

/** How much one account sent to one mailbox in the hour that runs, and where the rest of it waits. */
export interface MailHour {
  /** From `hoursKeyOf`. */
  readonly mailbox: string;
  readonly endsAt: Date;
  readonly mails: number;
  /** By channel, the digest that goes out when the hour is over; none while nothing waits. */
  readonly digests: Readonly<Record<string, string>>;
}

/** Who removes a channel and adds it again, or spells its address in another way, does not begin a new hour. */
export function hoursKeyOf({ accountId, canonicalTarget }: NotificationChannel): string {
  return `${accountId} ${mailboxOf(canonicalTarget)}`;
}

/** What an account sends to all its mailboxes together. It sorts before the keys of these. */
export function hoursKeyOfAccount(accountId: string): string {
  return accountId;
}

/** The next hour of a mailbox; `length` in milliseconds. */
export function newHour(mailbox: string, now: Date, length: number): MailHour {
  return { mailbox, endsAt: after(now, length), mails: 0, digests: {} };
}

/** The hours of all mailboxes, inside a unit of work; `forget` is a statement of its own. */
export abstract class MailHours {
  /** The mailbox's hour, a new one if the last is over, which nobody else can change before this unit of work ends. */
  abstract locked(mailbox: string, now: Date, length: number): Promise<MailHour>;
  abstract save(hour: MailHour): Promise<void>;
  /** Those that are over mean nothing. */
  abstract forget(now: Date): Promise<void>;
}
