import type { Recipient } from '../domain/email/address-confirmation.js';
import type { MailedChannel } from '../domain/email/mail-sender.js';

/** What an unsubscribe link ends. */
export interface Subscription {
  readonly channelId: string;
  readonly recipient: Recipient;
}

/**
 * Links in mails: anyone who has one can use it. A token is encrypted and authenticated, does not expire by itself, and
 * is parsed without the database.
 */
export abstract class MailLinks {
  /** null without a public address of this service (PUBLIC_URL). */
  abstract unsubscribeUrl(channel: MailedChannel): string | null;
  /** null for an invalid token */
  abstract parseUnsubscribeToken(token: string): Subscription | null;
  abstract confirmationUrl(confirmationId: string): string;
  /** @returns the id of the confirmation; null for an invalid token */
  abstract parseConfirmationToken(token: string): string | null;
}
