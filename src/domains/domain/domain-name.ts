import { isIP } from 'node:net';
import { toASCII, toUnicode } from 'tr46';
import { NameRefused } from './domains.errors.js';

/** UTS-46 non-transitional. CheckHyphens stays off: it would refuse real names such as `ab--cd.com`. */
const UTS46 = { checkHyphens: false, checkBidi: true, checkJoiners: true, useSTD3ASCIIRules: true };
/** Longer input cannot be a name even in Unicode; it is refused before any table is walked. */
const INPUT_LIMIT = 1_024;
const NAME_LIMIT = 253;
const LABEL_LIMIT = 63;

/** Nothing but letters, digits, hyphens and dots, and no A-label to be examined: UTS-46 only lowers their case. */
const PLAIN = /^(?!.*xn--)[a-z0-9.-]+$/i;

/** A registrable domain, held as its A-label form (lower case, no trailing dot). */
export class DomainName {
  private constructor(readonly ascii: string) {}

  /**
   * Reads what a person typed: Unicode or A-labels, any case, one trailing dot.
   * @throws NameRefused unless it is exactly one label below a public suffix that some registry answers for.
   */
  static parse(input: string, suffixes: PublicSuffixes): DomainName {
    const ascii = asciiOf(input);
    const standing = suffixes.standingOf(ascii);
    if (standing.kind === 'registrable') return new DomainName(ascii);
    throw NameRefused.standing(ascii, standing);
  }

  /** For a name that was parsed once already, such as one from the database. */
  static restore(ascii: string): DomainName {
    return new DomainName(ascii);
  }

  get unicode(): string {
    return this.ascii.includes('xn--') ? toUnicode(this.ascii, UTS46).domain : this.ascii;
  }

  get tld(): string {
    return this.ascii.slice(this.ascii.lastIndexOf('.') + 1);
  }

  /** True when a registry's spelling means this name: Unicode or ASCII, any case, a trailing dot or none. */
  isSpelt(spelling: string): boolean {
    if (spelling.length > INPUT_LIMIT) return false;
    const plain = spelling.trim().toLowerCase().replace(/\.$/, '');
    return plain === this.ascii || mapped(plain) === this.ascii;
  }

  equals(other: DomainName): boolean {
    return this.ascii === other.ascii;
  }

  toString(): string {
    return this.ascii;
  }
}

/** Where a well-formed name stands relative to the public suffixes. */
export type NameStanding =
  | { readonly kind: 'registrable' }
  | { readonly kind: 'public_suffix' }
  | { readonly kind: 'private_suffix' }
  | { readonly kind: 'below'; readonly registrable: string }
  | { readonly kind: 'unknown_tld' };

/** The public suffixes that this service knows, as a port. */
export abstract class PublicSuffixes {
  abstract standingOf(ascii: string): NameStanding;
}

function asciiOf(input: string): string {
  const typed = input.trim();
  if (typed.length > INPUT_LIMIT) throw new NameRefused('domain_too_long', `A domain name has at most 253 characters.`);
  if (isIP(typed.replace(/^\[|\]$/g, '')) > 0) throw isAddress();
  const ascii = mapped(typed);
  if (ascii === null) throw isMalformed();
  const labels = ascii.split('.');
  if (labels.some((label) => label.length > LABEL_LIMIT))
    throw new NameRefused('label_too_long', `A label has at most 63 characters in its ASCII form.`);
  if (ascii.length > NAME_LIMIT) throw new NameRefused('domain_too_long', `A domain name has at most 253 characters.`);
  if (!labels.every(isLabel)) throw isMalformed();
  if (endsInNumber(ascii)) throw URL.canParse(`http://${ascii}/`) ? isAddress() : isMalformed();
  if (labels.length < 2) throw new NameRefused('domain_single_label', `A domain name has at least two labels.`);
  return ascii;
}

/** The A-label form without one trailing dot; null for what UTS-46 knows no name of. */
function mapped(typed: string): string | null {
  if (PLAIN.test(typed)) return (typed.endsWith('.') ? typed.slice(0, -1) : typed).toLowerCase();
  const ascii = toASCII(typed, { ...UTS46, verifyDNSLength: false });
  return ascii?.endsWith('.') ? ascii.slice(0, -1) : ascii;
}

/** Letters, digits and inner hyphens (RFC 1123). */
function isLabel(label: string): boolean {
  return /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(label);
}

/** No top-level domain is a number, so this is an IPv4 address in one of its spellings (127.1, 0x7f.1, 2130706433), or nothing. */
function endsInNumber(ascii: string): boolean {
  return /(^|\.)(\d+|0x[0-9a-f]*)$/.test(ascii);
}

function isAddress(): NameRefused {
  return new NameRefused('domain_is_ip', `An IP address cannot be registered.`);
}

function isMalformed(): NameRefused {
  return new NameRefused('domain_malformed', `This is not a domain name.`);
}
