import { after } from '../../../kernel/clock.js';
import { mailboxKey } from './address-confirmation.js';
import type { NotificationChannel } from '../channels/notification-channel.js';

/** The mails of an account to one mailbox in the current hour, and the digests with the rest. */
export interface MailQuotaWindow {
  /** From `mailboxQuotaKey`. */
  readonly key: string;
  readonly endsAt: Date;
  readonly mails: number;
  /** Digest ids by channel. */
  readonly digests: Readonly<Record<string, string>>;
}

/** By mailbox: adding a channel again, or spelling its address in another way, does not start a new window. */
export function mailboxQuotaKey({ accountId, canonicalTarget }: NotificationChannel): string {
  return `${accountId} ${mailboxKey(canonicalTarget)}`;
}

/** For all mailboxes of an account together. It sorts before their keys. */
export function accountQuotaKey(accountId: string): string {
  return accountId;
}

export function newQuotaWindow(key: string, now: Date, lengthMs: number): MailQuotaWindow {
  return { key, endsAt: after(now, lengthMs), mails: 0, digests: {} };
}

/** Runs inside a unit of work; `purge` is a statement of its own. */
export abstract class MailQuotaWindowRepository {
  /** The current window, a new one if the last is over, locked until this unit of work ends. */
  abstract lock(key: string, now: Date, lengthMs: number): Promise<MailQuotaWindow>;
  abstract save(window: MailQuotaWindow): Promise<void>;
  /** Deletes windows that are over. */
  abstract purge(now: Date): Promise<void>;
}
