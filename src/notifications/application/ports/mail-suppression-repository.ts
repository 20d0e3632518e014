import type { Recipient } from '../../domain/email/address-confirmation.js';

/**
 * Mailboxes that unsubscribed from an account. They outlive the account's channels: nothing but a question whether it
 * wants mail is sent there until the mailbox confirms anew. All inside a unit of work.
 */
export abstract class MailSuppressionRepository {
  /** The same again changes nothing. */
  abstract add(recipient: Recipient, now: Date): Promise<void>;
  abstract has(recipient: Recipient): Promise<boolean>;
  abstract remove(recipient: Recipient): Promise<void>;
}
