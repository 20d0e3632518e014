import { after } from '../../kernel/clock.js';
import type { NotificationChannel } from './notification-channel.js';
import { mailboxKey } from './address-confirmation.js';
import type { ChannelSender, Message } from './channel-sender.js';
import type { AttemptOutcome } from './attempt.js';

/**
 * Single messages in a window: in all, and about one name. Routine and urgent ones have as many places each. When those of
 * the urgent ones are taken, the first one about a name still has one, until so many names have been written about.
 */
export interface MessageQuota {
  readonly messages: number;
  readonly perName: number;
}

export interface CountedMessage {
  /** Whether it must not wait for routine ones. */
  readonly urgent: boolean;
  /** The entry that it is about; null for messages about channels. */
  readonly entryId: string | null;
}

/** The places taken in a window. */
interface UsedPlaces {
  readonly messages: number;
  readonly byEntry: Readonly<Record<string, number>>;
}

export interface UsedQuota {
  readonly routine: UsedPlaces;
  readonly urgent: UsedPlaces;
}

/** Why a message waits: the places of all names are taken, or those that its own can have. */
export type Refusal = 'full' | 'name';

const UNUSED: UsedPlaces = { messages: 0, byEntry: {} };
export const UNUSED_QUOTA: UsedQuota = { routine: UNUSED, urgent: UNUSED };

/**
 * A name has only some of the places, so one busy name does not use up a receiver; and what is urgent has places of its
 * own, as many as what is routine, so it waits for nothing that is not. Nor does the first urgent message about a name wait
 * for further ones about others. A flood of urgent messages still ends in a digest: fewer than two times `messages` are sent.
 * @returns null: there is a place
 */
export function refuse(used: UsedQuota, message: CountedMessage, quota: MessageQuota): Refusal | null {
  const { messages, byEntry } = used[placesOf(message)];
  const ofName = message.entryId === null ? 0 : (byEntry[message.entryId] ?? 0);
  if (messages < quota.messages) return ofName >= quota.perName ? 'name' : null;
  const hasPlacesOfNames = message.urgent && Object.keys(byEntry).length < quota.messages;
  if (!hasPlacesOfNames) return 'full';
  return message.entryId !== null && ofName === 0 ? null : 'name';
}

export function take(used: UsedQuota, message: CountedMessage): UsedQuota {
  const places = placesOf(message);
  const { messages, byEntry } = used[places];
  const { entryId } = message;
  const ofEntry = entryId === null ? {} : { [entryId]: (byEntry[entryId] ?? 0) + 1 };
  return { ...used, [places]: { messages: messages + 1, byEntry: { ...byEntry, ...ofEntry } } };
}

function placesOf({ urgent }: CountedMessage): keyof UsedQuota {
  return urgent ? 'urgent' : 'routine';
}

/** The messages of an account to one receiver in the current window, and the digests with the rest. */
export interface QuotaWindow {
  /** Comes from `receiverQuotaKey` or `accountQuotaKey`; invitations have keys of their own. */
  readonly key: string;
  readonly endsAt: Date;
  readonly used: UsedQuota;
  /** Digest ids by channel. */
  readonly digests: Readonly<Record<string, string>>;
}

/** Names the target: adding a channel again, or spelling its address in another way, does not start a new window. */
export function receiverQuotaKey(
  { accountId, type, canonicalTarget }: NotificationChannel,
  { kind }: { readonly kind: DigestKind },
): string {
  return kind === 'mail' ? `${accountId} ${mailboxKey(canonicalTarget)}` : `${accountId} ${type} ${canonicalTarget}`;
}

/** Counts all mailboxes of an account together. It sorts before their keys. */
export function accountQuotaKey(accountId: string): string {
  return accountId;
}

export function newQuotaWindow(key: string, now: Date, lengthMs: number): QuotaWindow {
  return { key, endsAt: after(now, lengthMs), used: UNUSED_QUOTA, digests: {} };
}

/** Claimed apart, so that neither kind waits for the other. */
export type DigestKind = 'mail' | 'chat';

/** Events that exceeded a quota, as one message. */
export interface Digest {
  /** The same at each attempt. */
  readonly id: string;
  readonly channel: Message['channel'];
  /** Urgent ones first, then the oldest. */
  readonly events: readonly Pick<Message['event'], 'id' | 'type' | 'body'>[];
  readonly sentAt: Date;
  /** Upper limit for the attempt. */
  readonly timeoutMs: number;
}

/** Single messages to a receiver in a window; the rest waits for the digest at its end. */
export interface DigestQuota {
  readonly kind: DigestKind;
  readonly window: 'minute' | 'hour';
  readonly perReceiver: MessageQuota;
}

/** A type of channel whose receivers are people. */
export interface DigestSender extends ChannelSender {
  /** False: nothing can be sent, so nothing is counted. */
  readonly isReady: boolean;
  readonly digestQuota: DigestQuota;
  /** Sends once, like `send`. */
  sendDigest(digest: Digest): Promise<AttemptOutcome>;
}

export function sendsDigests(sender: ChannelSender | undefined): sender is DigestSender {
  return sender !== undefined && 'digestQuota' in sender && sender.digestQuota !== null;
}
