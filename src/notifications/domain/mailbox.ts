import { createHash } from 'node:crypto';

/**
 * Returns the same key for all spellings of an address that most providers deliver to one mailbox. Returns a hash,
 * because the key, unlike the address, stays stored after the channel is deleted.
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

/** A mailbox to which one account sends mail. */
export interface Recipient {
  readonly accountId: string;
  /** A result of `mailboxKey`. */
  readonly mailbox: string;
}

export function toRecipient(channel: { readonly accountId: string; readonly canonicalTarget: string }): Recipient {
  return { accountId: channel.accountId, mailbox: mailboxKey(channel.canonicalTarget) };
}
