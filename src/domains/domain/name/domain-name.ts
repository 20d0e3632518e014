import { isIP } from 'node:net';
import { DomainError } from '../../../kernel/domain-error.js';
import type { BuiltInProblemCode } from '../../../kernel/problem-code.js';
import { toASCII, toUnicode } from 'tr46';
import { findOpenSuffix } from './open-suffixes.js';

const MAX_NAME_LENGTH = 253;

/** A domain name in A-label form: lower case, no trailing dot. Only `parse` checks that the name can be registered. */
export class DomainName {
  private constructor(readonly ascii: string) {}

  /**
   * Accepts Unicode or A-labels, any case and one trailing dot.
   * @throws InvalidDomainNameError if the input is no name that a supported registry could register
   */
  static parse(input: string, suffixes: PublicSuffixes): DomainName {
    const host = findHost(input);
    if (host !== null) throw InvalidDomainNameError.fromAddress(findRegistrable(host, suffixes));
    const ascii = toValidAscii(input);
    const position = suffixes.classify(ascii);
    if (position.kind === 'registrable') return new DomainName(ascii);
    throw InvalidDomainNameError.fromSuffixPosition(ascii, position);
  }

  /**
   * Accepts names below any suffix, for callers that need no supported registry.
   * @throws InvalidDomainNameError unless the input is a domain name
   */
  static parseAnySuffix(input: string): DomainName {
    return new DomainName(toValidAscii(input));
  }

  /** Skips the validation of a name that was parsed before, for example from the database. */
  static restore(ascii: string): DomainName {
    return new DomainName(ascii);
  }

  get unicode(): string {
    return toULabels(this.ascii);
  }

  get tld(): string {
    return this.ascii.slice(this.ascii.lastIndexOf('.') + 1);
  }

  /** The TLD, or a suffix below it that has a registry of its own (`uk.com`). */
  get registry(): string {
    return findOpenSuffix(this.ascii) ?? this.tld;
  }

  /** Whether a registry's spelling means this name: Unicode or ASCII, any case, with or without a trailing dot. */
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
  if (isIpAddress(typed)) throw ipAddressError();
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

/** Returns the host in a URL, mail address, wildcard, or name with a port; null for other input. */
function findHost(input: string): string | null {
  const typed = input.trim();
  if (typed.length > MAX_INPUT_LENGTH || !/[/@:*]/.test(typed) || isIpAddress(typed)) return null;
  const address = typed.replace(/^(mailto:|\*\.)/i, '');
  const url = URL.parse(address.includes('://') ? address : `http://${address}`);
  return url?.hostname ? url.hostname : null;
}

function findRegistrable(host: string, suffixes: PublicSuffixes): string | null {
  try {
    const ascii = toValidAscii(host);
    const position = suffixes.classify(ascii);
    if (position.kind === 'below') return position.registrable;
    return position.kind === 'registrable' ? ascii : null;
  } catch (error) {
    if (error instanceof InvalidDomainNameError) return null;
    throw error;
  }
}

/** Returns the A-label form without a trailing dot, or null if UTS-46 rejects the input. */
function toAsciiName(typed: string): string | null {
  const ascii = toALabels(typed);
  return ascii?.endsWith('.') ? ascii.slice(0, -1) : ascii;
}

function isIpAddress(text: string): boolean {
  return isIP(text.replace(/^\[|\]$/g, '')) > 0;
}

/** Whether the last label is a number, as in IPv4 addresses (127.1, 0x7f.1, 2130706433). No TLD is a number. */
function endsInNumber(ascii: string): boolean {
  return /(^|\.)(\d+|0x[0-9a-f]*)$/.test(ascii);
}

function ipAddressError(): InvalidDomainNameError {
  return new InvalidDomainNameError('domain_is_ip', `An IP address cannot be registered.`);
}

function malformedError(): InvalidDomainNameError {
  return new InvalidDomainNameError('domain_malformed', `This is not a domain name.`);
}

/** How a well-formed name relates to the public suffixes. */
export type SuffixPosition =
  | { readonly kind: 'registrable' }
  | { readonly kind: 'public_suffix' }
  | { readonly kind: 'private_suffix' }
  | { readonly kind: 'below'; readonly registrable: string }
  | { readonly kind: 'unknown_tld' };

/** The public suffixes of the supported registries, which {@link DomainName.parse} needs. */
export abstract class PublicSuffixes {
  abstract classify(ascii: string): SuffixPosition;
}

export type InvalidDomainNameCode = Extract<
  BuiltInProblemCode,
  `domain_${string}` | 'label_too_long' | 'not_registrable' | 'tld_unsupported'
>;

/** The error for a name that no supported registry could register. */
export class InvalidDomainNameError extends DomainError {
  constructor(code: InvalidDomainNameCode, message: string, details = {}) {
    super(code, message, { field: 'domain', ...details });
  }

  /**
   * Makes the error for a URL, mail address or other text that contains a name.
   * @param registrable the registrable name inside; null if there is none
   */
  static fromAddress(registrable: string | null): InvalidDomainNameError {
    if (registrable === null) return malformedError();
    const message = `This is not a domain name; the one in it is ${registrable}.`;
    return new InvalidDomainNameError('domain_malformed', message, { registrable_domain: registrable });
  }

  static fromSuffixPosition(
    ascii: string,
    position: Exclude<SuffixPosition, { kind: 'registrable' }>,
  ): InvalidDomainNameError {
    switch (position.kind) {
      case 'public_suffix':
        return new InvalidDomainNameError(
          'domain_is_public_suffix',
          `This is a public suffix; names are registered below it.`,
        );
      case 'private_suffix':
        return new InvalidDomainNameError(
          'domain_private_suffix',
          `Names here are assigned by a company, not by a registry.`,
        );
      case 'below':
        return new InvalidDomainNameError('not_registrable', `Only ${position.registrable} can be registered.`, {
          registrable_domain: position.registrable,
        });
      case 'unknown_tld':
        return new InvalidDomainNameError('tld_unsupported', `No registry is known for .${ascii.split('.').at(-1)}.`);
    }
  }
}

/**
 * Returns a label in A-label form.
 * @throws InvalidDomainNameError unless the input is exactly one label
 */
export function parseDomainLabel(input: string): string {
  const typed = input.trim();
  const ascii = typed.length > MAX_INPUT_LENGTH ? null : toALabels(typed);
  if (ascii?.includes('.')) throw refuse('domain_malformed', 'The label is one label, without a dot.');
  if (typed.length > MAX_INPUT_LENGTH || (ascii !== null && ascii.length > MAX_LABEL_LENGTH))
    throw refuse('label_too_long', 'A label has at most 63 characters in its ASCII form.');
  if (ascii === null || !isLabel(ascii)) throw refuse('domain_malformed', 'This is not a label of a domain name.');
  return ascii;
}

function refuse(code: 'domain_malformed' | 'label_too_long', message: string): InvalidDomainNameError {
  return new InvalidDomainNameError(code, message, { field: 'label' });
}

/** UTS-46 non-transitional. CheckHyphens stays off, because it would refuse real names such as `ab--cd.com`. */
const UTS46_OPTIONS = { checkHyphens: false, checkBidi: true, checkJoiners: true, useSTD3ASCIIRules: true };
/** No name has more characters, even in Unicode. Longer input is rejected, because the conversion would be slow. */
const MAX_INPUT_LENGTH = 1_024;
/** The longest label in A-label form (RFC 1035 §2.3.4). */
const MAX_LABEL_LENGTH = 63;

/** Matches ASCII names and labels without A-labels. UTS-46 would only convert them to lower case. */
const PLAIN_ASCII = /^(?!.*xn--)[a-z0-9.-]+$/i;

/** Returns the A-label form of a name or a label, or null if UTS-46 rejects it. Does not check lengths. */
export function toALabels(text: string): string | null {
  return PLAIN_ASCII.test(text) ? text.toLowerCase() : toASCII(text, { ...UTS46_OPTIONS, verifyDNSLength: false });
}

function toULabels(ascii: string): string {
  return ascii.includes('xn--') ? toUnicode(ascii, UTS46_OPTIONS).domain : ascii;
}

/** Accepts letters, digits and inner hyphens (RFC 1123). */
function isLabel(text: string): boolean {
  return /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(text);
}
