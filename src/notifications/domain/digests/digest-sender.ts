import type { ChannelSender, Message } from '../channels/channel-sender.js';
import type { AttemptOutcome } from '../deliveries/attempt.js';
import type { MessageQuota } from './message-quota.js';

/** Stored apart: digests of chats are claimed by host and account in turn, since many are due in the same minute. */
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
