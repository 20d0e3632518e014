import { v7 } from 'uuid';

export type IdPrefix = 'wl' | 'nc' | 'evt' | 'dl' | 'acc' | 'key' | 'aud' | 'per' | 'inv' | 'ses' | 'run' | 'adr';

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';
const SUFFIX = /^[0-7][0-9abcdefghjkmnpqrstvwxyz]{25}$/;

/** Makes a TypeID: `<prefix>_` and a UUIDv7 in 26 characters. Ids sort by the time they were made. */
export function newId(prefix: IdPrefix): string {
  return idFromUuid(prefix, v7());
}

/** True for a well-formed id of this kind. Ids are case-sensitive. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(`${prefix}_`) && SUFFIX.test(text.slice(prefix.length + 1));
}

/** Writes any UUID as an id with a prefix, in the TypeID spelling. */
export function idFromUuid(prefix: IdPrefix, uuid: string): string {
  return `${prefix}_${encode(Buffer.from(uuid.replaceAll('-', ''), 'hex'))}`;
}

/** Writes 128 bits as 26 digits of five bits, the most significant first. The first digit holds only three bits. */
function encode(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let bitCount = 2; // two zero bits in front make 130 = 26 × 5
  for (const byte of bytes) {
    bits = (bits << 8) | byte;
    bitCount += 8;
    while (bitCount >= 5) {
      bitCount -= 5;
      text += CROCKFORD.charAt((bits >>> bitCount) & 31);
    }
    bits &= (1 << bitCount) - 1;
  }
  return text;
}
