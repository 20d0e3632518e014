import { crc32 } from 'node:zlib';

/**
 * An API key is `nw_<id>_<32 random bytes><checksum>`. The checksum rejects mistyped keys without a database query,
 * and lets secret scanners recognise keys.
 */
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_DIGITS = 43; // 62^43 > 2^256
const CHECKSUM_DIGITS = 6; // 62^6 > 2^32
const FORMAT = /^nw_([0-7][0-9abcdefghjkmnpqrstvwxyz]{25})_[0-9A-Za-z]{49}$/;

export const API_KEY_LENGTH = 'nw_'.length + 26 + '_'.length + SECRET_DIGITS + CHECKSUM_DIGITS;

/** @param id `key_…` */
export function formatApiKey(id: string, secret: bigint): string {
  const head = `nw_${id.slice('key_'.length)}_${base62(secret, SECRET_DIGITS)}`;
  return head + checksum(head);
}

/** @returns `key_…`; null for a wrong format or checksum */
export function idOfApiKey(text: string): string | null {
  const shape = FORMAT.exec(text);
  if (!shape) return null;
  const head = text.slice(0, -CHECKSUM_DIGITS);
  return text === head + checksum(head) ? `key_${shape[1] ?? ''}` : null;
}

/** Returns the checksum at the end of a key: the CRC-32 (IEEE) of the text before. */
function checksum(head: string): string {
  return base62(BigInt(crc32(head)), CHECKSUM_DIGITS);
}

function base62(number: bigint, digits: number): string {
  let text = '';
  for (let rest = number; rest > 0n; rest /= 62n) text = BASE62.charAt(Number(rest % 62n)) + text;
  return text.padStart(digits, '0');
}
