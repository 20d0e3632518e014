import { toASCII, toUnicode } from 'tr46';

/** UTS-46 non-transitional. CheckHyphens stays off: it would refuse real names such as `ab--cd.com`. */
const UTS46_OPTIONS = { checkHyphens: false, checkBidi: true, checkJoiners: true, useSTD3ASCIIRules: true };
/** An input that is longer cannot be a name even in Unicode; it is rejected before any table is read. */
export const MAX_INPUT_LENGTH = 1_024;
/** An A-label is no longer (RFC 1035 §2.3.4). */
export const MAX_LABEL_LENGTH = 63;

/** Letters, digits, hyphens and dots without an A-label: UTS-46 would only lower their case. */
const PLAIN_ASCII = /^(?!.*xn--)[a-z0-9.-]+$/i;

/** The A-label form of a name or a label; null where UTS-46 rejects it. Lengths are not checked. */
export function toALabels(text: string): string | null {
  return PLAIN_ASCII.test(text) ? text.toLowerCase() : toASCII(text, { ...UTS46_OPTIONS, verifyDNSLength: false });
}

/** The Unicode form of A-labels that were valid. */
export function toULabels(ascii: string): string {
  return ascii.includes('xn--') ? toUnicode(ascii, UTS46_OPTIONS).domain : ascii;
}

/** Letters, digits and inner hyphens (RFC 1123). */
export function isLabel(text: string): boolean {
  return /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(text);
}
