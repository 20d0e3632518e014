import type { AttemptOutcome } from '../deliveries/attempt.js';
import { ChannelSender, type Message } from '../channels/channel-sender.js';

/** A channel as a mail knows it. */
export interface MailedChannel {
  readonly id: string;
  readonly accountId: string;
  /** Its canonical address. */
  readonly target: string;
}

/** What waited for the end of a channel's hour, as one message. */
export interface DigestMail {
  /** The same at each attempt. */
  readonly id: string;
  readonly channel: MailedChannel;
  /** Oldest first. */
  readonly events: readonly Pick<Message['event'], 'id' | 'type' | 'body'>[];
  readonly sentAt: Date;
  /** Milliseconds that the attempt may take. */
  readonly timeoutMs: number;
}

/** Whether an address wants what a channel would send there. */
export interface ConfirmationMail {
  /** The same at each attempt. */
  readonly id: string;
  readonly channel: MailedChannel;
  readonly expiresAt: Date;
  readonly sentAt: Date;
  /** Milliseconds that the attempt may take. */
  readonly timeoutMs: number;
}

/** A type of channel whose receivers are people: they are not flooded, and have to confirm first where that is on. */
export abstract class MailSender extends ChannelSender {
  /** So many messages go out to a mailbox in an hour one by one; the rest waits for its end. */
  abstract readonly mailboxHourlyLimit: number;
  /** The same for all mailboxes of an account together. */
  abstract readonly accountHourlyLimit: number;
  /** Sends once, like `send`. */
  abstract sendDigest(digest: DigestMail): Promise<AttemptOutcome>;
  /** Sends once, like `send`. */
  abstract sendConfirmation(confirmation: ConfirmationMail): Promise<AttemptOutcome>;
}
