import type { AttemptOutcome } from './attempt.js';
import { ChannelSender } from './channel-sender.js';
import type { Digest, DigestQuota, DigestSender, MessageQuota } from './message-quota.js';

export interface MailedChannel {
  readonly id: string;
  readonly accountId: string;
  /** Its canonical address. */
  readonly target: string;
}

/** Asks an address to confirm a channel. */
export interface ConfirmationMail {
  /** The same at each attempt. */
  readonly id: string;
  readonly channel: MailedChannel;
  readonly expiresAt: Date;
  readonly sentAt: Date;
  /** Upper limit for the attempt. */
  readonly timeoutMs: number;
}

/** A type of channel whose receivers are people: rate-limited, and confirmed first where that is on. */
export abstract class MailSender extends ChannelSender implements DigestSender {
  /** Whether a receiver has to confirm before anything else is sent there. */
  abstract readonly requiresConfirmation: boolean;
  /** False without a mail relay: nothing can be sent. */
  abstract get isReady(): boolean;
  /** Single mails to a mailbox per hour; the rest waits for a digest. */
  abstract readonly hourlyQuotaOfMailbox: MessageQuota;
  get digestQuota(): DigestQuota {
    return { kind: 'mail', window: 'hour', perReceiver: this.hourlyQuotaOfMailbox };
  }
  /** For all mailboxes of an account together. */
  abstract readonly hourlyQuotaOfAccount: MessageQuota;
  /** Sends once, like `send`. */
  abstract sendDigest(digest: Digest): Promise<AttemptOutcome>;
  /** Sends once, like `send`. */
  abstract sendConfirmation(confirmation: ConfirmationMail): Promise<AttemptOutcome>;
}

/** Whether channels of this sender have to wait for a mail relay. */
export function lacksRelay(sender: ChannelSender | undefined): boolean {
  return sender instanceof MailSender && !sender.isReady;
}
