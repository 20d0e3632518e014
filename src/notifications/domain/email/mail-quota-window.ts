import { after } from '../../../kernel/clock.js';
import { mailboxKey } from './address-confirmation.js';
import type { NotificationChannel } from '../channels/notification-channel.js';

/** How much one account sent to one mailbox in the hour that runs, and where the rest of it waits. */
export interface MailQuotaWindow {
  /** From `mailboxQuotaKey`. */
  readonly key: string;
  readonly endsAt: Date;
  readonly mails: number;
  /** By channel, the digest that goes out when the hour is over; none while nothing waits. */
  readonly digests: Readonly<Record<string, string>>;
}

/** Who removes a channel and adds it again, or spells its address in another way, does not begin a new hour. */
export function mailboxQuotaKey({ accountId, canonicalTarget }: NotificationChannel): string {
  return `${accountId} ${mailboxKey(canonicalTarget)}`;
}

/** What an account sends to all its mailboxes together. It sorts before the keys of these. */
export function accountQuotaKey(accountId: string): string {
  return accountId;
}

/** The next hour of a mailbox; `length` in milliseconds. */
export function newQuotaWindow(key: string, now: Date, lengthMs: number): MailQuotaWindow {
  return { key, endsAt: after(now, lengthMs), mails: 0, digests: {} };
}

/** The hours of all mailboxes, inside a unit of work; `forget` is a statement of its own. */
export abstract class MailQuotaWindowRepository {
  /** The mailbox's hour, a new one if the last is over, which nobody else can change before this unit of work ends. */
  abstract lock(key: string, now: Date, lengthMs: number): Promise<MailQuotaWindow>;
  abstract save(window: MailQuotaWindow): Promise<void>;
  /** Those that are over mean nothing. */
  abstract purge(now: Date): Promise<void>;
}
