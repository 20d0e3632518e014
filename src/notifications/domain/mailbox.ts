import { createHash } from 'node:crypto';
import { toASCII } from 'tr46';
import { type Target, TargetInvalid } from './target.js';

/** The maximum length of an address. RFC 5321 §4.5.3.1.3 allows 256 octets, but these include two angle brackets. */
const MAX_LENGTH = 254;
/**
 * A dot-atom of RFC 5322. Mail libraries parse quotes, comments and lists differently, which has sent mail to wrong
 * addresses.
 */
const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_{|}~-]+)*$/;
const MAX_LOCAL_PART_LENGTH = 64;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const UTS46 = { checkHyphens: false, checkBidi: true, checkJoiners: true, useSTD3ASCIIRules: true };

/** Parses exactly one plain address. @throws TargetInvalid for anything else */
export function parseEmailTarget(text: string): Target {
  const asSent = text.trim();
  const at = asSent.indexOf('@');
  const local = asSent.slice(0, Math.max(at, 0));
  if (asSent.length > MAX_LENGTH || local.length > MAX_LOCAL_PART_LENGTH || !LOCAL_PART.test(local))
    throw notAnAddress();
  const canonical = `${local}@${parseMailDomain(asSent.slice(at + 1))}`;
  if (canonical.length > MAX_LENGTH) throw notAnAddress();
  return { asSent, canonical };
}

/** Returns the domain in A-labels (`xn--…`) and lower case. Rejects single labels and IP addresses. */
function parseMailDomain(text: string): string {
  const ascii = toASCII(text, { ...UTS46, verifyDNSLength: true });
  const labels = ascii?.toLowerCase().split('.') ?? [];
  if (labels.length < 2 || !labels.every((label) => LABEL.test(label))) throw notAnAddress();
  if (/^\d+$/.test(labels.at(-1) ?? '')) throw notAnAddress();
  return labels.join('.');
}

function notAnAddress(): TargetInvalid {
  return new TargetInvalid('This is not one plain email address.');
}

/**
 * Returns the same key for spellings that most providers deliver to one mailbox. The key is a hash, because keys stay
 * after the channel is deleted.
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
