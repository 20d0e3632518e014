import { isIP } from 'node:net';
import { InvalidDomainNameError } from './domain-name.errors.js';
import { isLabel, MAX_INPUT_LENGTH, MAX_LABEL_LENGTH, toALabels, toULabels } from './idna.js';
import type { PublicSuffixes } from './public-suffixes.js';

const MAX_NAME_LENGTH = 253;

/** A registrable domain in A-label form: lower case, no trailing dot. */
export class DomainName {
  private constructor(readonly ascii: string) {}

  /**
   * Accepts Unicode or A-labels, any case and one trailing dot.
   * @throws InvalidDomainNameError unless it is exactly one label below a public suffix of a supported registry
   */
  static parse(input: string, suffixes: PublicSuffixes): DomainName {
    const ascii = toValidAscii(input);
    const position = suffixes.classify(ascii);
    if (position.kind === 'registrable') return new DomainName(ascii);
    throw InvalidDomainNameError.fromSuffixPosition(ascii, position);
  }

  /**
   * The same below any suffix, for a name that no registry is asked about: suffixes come and go.
   * @throws InvalidDomainNameError unless it is a domain name
   */
  static parseAnySuffix(input: string): DomainName {
    return new DomainName(toValidAscii(input));
  }

  /** For a name that was parsed before, such as one from the database. */
  static restore(ascii: string): DomainName {
    return new DomainName(ascii);
  }

  get unicode(): string {
    return toULabels(this.ascii);
  }

  get tld(): string {
    return this.ascii.slice(this.ascii.lastIndexOf('.') + 1);
  }

  /** Whether a registry's spelling is this name: Unicode or ASCII, any case, with or without a trailing dot. */
  matchesSpelling(spelling: string): boolean {
    if (spelling.length > MAX_INPUT_LENGTH) return false;
    const normalized = spelling.trim().toLowerCase().replace(/\.$/, '');
    return normalized === this.ascii || toAsciiName(normalized) === this.ascii;
  }

  equals(other: DomainName): boolean {
    return this.ascii === other.ascii;
  }

  toString(): string {
    return this.ascii;
  }
}

function toValidAscii(input: string): string {
  const typed = input.trim();
  if (typed.length > MAX_INPUT_LENGTH)
    throw new InvalidDomainNameError('domain_too_long', `A domain name has at most 253 characters.`);
  if (isIP(typed.replace(/^\[|\]$/g, '')) > 0) throw ipAddressError();
  const ascii = toAsciiName(typed);
  if (ascii === null) throw malformedError();
  const labels = ascii.split('.');
  if (labels.some((label) => label.length > MAX_LABEL_LENGTH))
    throw new InvalidDomainNameError('label_too_long', `A label has at most 63 characters in its ASCII form.`);
  if (ascii.length > MAX_NAME_LENGTH)
    throw new InvalidDomainNameError('domain_too_long', `A domain name has at most 253 characters.`);
  if (!labels.every(isLabel)) throw malformedError();
  if (endsInNumber(ascii)) throw URL.canParse(`http://${ascii}/`) ? ipAddressError() : malformedError();
  if (labels.length < 2)
    throw new InvalidDomainNameError('domain_single_label', `A domain name has at least two labels.`);
  return ascii;
}

/** The A-label form without one trailing dot; null where UTS-46 rejects the input. */
function toAsciiName(typed: string): string | null {
  const ascii = toALabels(typed);
  return ascii?.endsWith('.') ? ascii.slice(0, -1) : ascii;
}

/** No top-level domain is a number, so this is an IPv4 address in one of its spellings (127.1, 0x7f.1, 2130706433), or nothing. */
function endsInNumber(ascii: string): boolean {
  return /(^|\.)(\d+|0x[0-9a-f]*)$/.test(ascii);
}

function ipAddressError(): InvalidDomainNameError {
  return new InvalidDomainNameError('domain_is_ip', `An IP address cannot be registered.`);
}

function malformedError(): InvalidDomainNameError {
  return new InvalidDomainNameError('domain_malformed', `This is not a domain name.`);
}
