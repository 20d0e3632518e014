import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { newId } from '../../kernel/identifier.js';

/**
 * An API key is `nw_`, the 26 characters of its id, `_`, 32 random bytes in base62, and a checksum: mistyped keys cost
 * no query, and secret scanners recognise real ones.
 */
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_DIGITS = 43; // 62^43 > 2^256
const CHECKSUM_DIGITS = 6; // 62^6 > 2^32
const LENGTH = 'nw_'.length + 26 + '_'.length + SECRET_DIGITS + CHECKSUM_DIGITS;
const FORMAT = /^nw_([0-7][0-9abcdefghjkmnpqrstvwxyz]{25})_[0-9A-Za-z]{49}$/;

export interface ApiKeyText {
  /** `key_…` */
  readonly id: string;
  readonly text: string;
  /** SHA-256 in hex: all that is stored. The secret has 256 random bits, so no slow hash is needed. */
  readonly digest: string;
}

export function generateApiKey(): ApiKeyText {
  const id = newId('key');
  const secret = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), SECRET_DIGITS);
  const head = `nw_${id.slice('key_'.length)}_${secret}`;
  return toApiKeyText(head + checksum(head), id);
}

/** null for a wrong format or checksum. */
export function parseApiKey(text: string): ApiKeyText | null {
  const shape = FORMAT.exec(text);
  if (!shape) return null;
  const head = text.slice(0, -CHECKSUM_DIGITS);
  return text === head + checksum(head) ? toApiKeyText(text, `key_${shape[1] ?? ''}`) : null;
}

/** Explains why this text is not a key, without repeating any of it. */
export function explainMalformedKey(text: string): string {
  if (/^["'`“‘<]|["'`”’>]$/.test(text)) return 'The API key is in quotes or brackets: send it without them.';
  if (/(\\[nrt]|%0[ad]|%20)$/i.test(text)) return 'The API key ends with an escaped line break or space: leave it out.';
  if (/[^!-~]/.test(text)) return 'The API key contains an invisible character or one that no key has: copy it again.';
  if (text.startsWith('key_')) return 'This is the id of a key: the key itself begins with nw_ and was shown once.';
  if (!text.startsWith('nw_')) return 'This is no Namewatch key: keys begin with nw_.';
  if (text.length !== LENGTH) return `The API key has ${text.length} characters instead of ${LENGTH}: copy it again.`;
  return 'The checksum of the API key is wrong: it was mistyped, or belongs to another text. Copy it again.';
}

export function digestApiKey(text: string): string {
  return hash('sha256', text);
}

export function isApiKey(text: string): boolean {
  return parseApiKey(text) !== null;
}

function toApiKeyText(text: string, id: string): ApiKeyText {
  return { id, text, digest: digestApiKey(text) };
}

/** CRC-32 (IEEE) of everything before it. */
function checksum(head: string): string {
  return base62(BigInt(crc32(head)), CHECKSUM_DIGITS);
}

function base62(number: bigint, digits: number): string {
  let text = '';
  for (let rest = number; rest > 0n; rest /= 62n) text = BASE62.charAt(Number(rest % 62n)) + text;
  return text.padStart(digits, '0');
}
