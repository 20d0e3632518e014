import { after } from '../../../kernel/clock.js';
import type { NotificationChannel } from '../channels/notification-channel.js';
import { mailboxKey } from '../email/address-confirmation.js';
import type { DigestKind } from './digest-sender.js';
import { UNUSED_QUOTA, type UsedQuota } from './message-quota.js';

/** The messages of an account to one receiver in the current window, and the digests with the rest. */
export interface QuotaWindow {
  /** From `receiverQuotaKey` or `accountQuotaKey`. */
  readonly key: string;
  readonly endsAt: Date;
  readonly used: UsedQuota;
  /** Digest ids by channel. */
  readonly digests: Readonly<Record<string, string>>;
}

/** By target: adding a channel again, or spelling its address in another way, does not start a new window. */
export function receiverQuotaKey(
  { accountId, type, canonicalTarget }: NotificationChannel,
  { kind }: { readonly kind: DigestKind },
): string {
  return kind === 'mail' ? `${accountId} ${mailboxKey(canonicalTarget)}` : `${accountId} ${type} ${canonicalTarget}`;
}

/** For all mailboxes of an account together. It sorts before their keys. */
export function accountQuotaKey(accountId: string): string {
  return accountId;
}

export function newQuotaWindow(key: string, now: Date, lengthMs: number): QuotaWindow {
  return { key, endsAt: after(now, lengthMs), used: UNUSED_QUOTA, digests: {} };
}

/** Runs inside a unit of work; `purge` is a statement of its own. */
export abstract class QuotaWindowRepository {
  /** The current window, a new one if the last is over, locked until this unit of work ends. */
  abstract lock(key: string, now: Date, lengthMs: number): Promise<QuotaWindow>;
  abstract save(window: QuotaWindow): Promise<void>;
  /** Deletes windows that are over. */
  abstract purge(now: Date): Promise<void>;
}
