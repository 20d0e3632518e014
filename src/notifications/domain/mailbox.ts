import { createHash } from 'node:crypto';

/**
 * Returns one key for all addresses that most providers deliver to the same mailbox. The key is a hash, since it is
 * stored longer than its channel.
 */
export function mailboxKey(address: string): string {
  const at = address.lastIndexOf('@');
  const local = address
    .slice(0, at)
    .toLowerCase()
    .replace(/(?<=.)\+.*$/, '');
  return createHash('sha256')
    .update(`${local}${address.slice(at).toLowerCase()}`)
    .digest('hex');
}

/** One mailbox, as a recipient of one account. */
export interface Recipient {
  readonly accountId: string;
  /** A result of `mailboxKey`. */
  readonly mailbox: string;
}

export function toRecipient(channel: { readonly accountId: string; readonly canonicalTarget: string }): Recipient {
  return { accountId: channel.accountId, mailbox: mailboxKey(channel.canonicalTarget) };
}
