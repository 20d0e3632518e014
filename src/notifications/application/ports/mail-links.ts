import type { Recipient } from '../../domain/email/address-confirmation.js';
import type { MailedChannel } from '../../domain/email/mail-sender.js';

/** What a link ends. */
export interface Subscription {
  readonly channelId: string;
  /** null in links of versions that named the channel only: then it is known as long as the channel is. */
  readonly recipient: Recipient | null;
}

/**
 * Links in mails, which act for whoever has them. A token tells nothing to others, cannot be guessed, does not expire by
 * itself, and is read without asking any table.
 */
export abstract class MailLinks {
  /** Where a channel's recipient ends its mail; null while people have no address of this service (PUBLIC_URL). */
  abstract unsubscribeUrl(channel: MailedChannel): string | null;
  /** null for what is no token of ours */
  abstract parseUnsubscribeToken(token: string): Subscription | null;
  /** Where an address agrees to get mail. */
  abstract confirmationUrl(confirmationId: string): string;
  /** @returns the id of the confirmation; null for what is no token of ours */
  abstract parseConfirmationToken(token: string): string | null;
}
