import type { Recipient } from '../domain/email/address-confirmation.js';

/**
 * Mailboxes that unsubscribed from an account. They outlive its channels: only confirmation mails are sent there until
 * the mailbox confirms again. Runs inside a unit of work.
 */
export abstract class MailSuppressionRepository {
  /** Idempotent. @returns false when it is there already, or its account is not */
  abstract add(recipient: Recipient, now: Date): Promise<boolean>;
  abstract has(recipient: Recipient): Promise<boolean>;
  abstract remove(recipient: Recipient): Promise<void>;
}
