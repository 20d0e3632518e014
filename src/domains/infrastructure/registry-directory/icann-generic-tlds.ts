import { Injectable } from '@nestjs/common';
import { parse } from 'tldts';
import { GenericTlds } from '../../application/ports/generic-tlds.js';

/** Older than ICANN, and run by other rules. */
const NOT_UNDER_ICANN_CONTRACT = new Set(['arpa', 'edu', 'gov', 'int', 'mil']);
const ICANN_OPTIONS = { extractHostname: false, validateHostname: false, detectIp: false };

/** The generic TLDs of the Public Suffix List's ICANN section; a TLD of two letters is a country's (RFC 1591). */
@Injectable()
export class IcannGenericTlds extends GenericTlds {
  /** The list does not tell which of the internationalised TLDs are countries', so none of those is taken. */
  has(tld: string): boolean {
    if (tld.length === 2 || tld.startsWith('xn--') || NOT_UNDER_ICANN_CONTRACT.has(tld)) return false;
    return parse(`nic.${tld}`, ICANN_OPTIONS).isIcann === true;
  }
}
