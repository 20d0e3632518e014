import { hash, randomBytes } from 'node:crypto';
import { API_KEY_LENGTH, formatApiKey, idOfApiKey } from '../../kernel/api-key-format.js';
import { newId } from '../../kernel/identifier.js';

export interface ApiKeyText {
  /** `key_…` */
  readonly id: string;
  readonly text: string;
  /** The SHA-256 in hex, stored instead of the key. A secret of 256 random bits needs no slow hash. */
  readonly digest: string;
}

export function generateApiKey(): ApiKeyText {
  const id = newId('key');
  return toApiKeyText(formatApiKey(id, BigInt(`0x${randomBytes(32).toString('hex')}`)), id);
}

/** Returns null if the format or the checksum is wrong. */
export function parseApiKey(text: string): ApiKeyText | null {
  const id = idOfApiKey(text);
  return id === null ? null : toApiKeyText(text, id);
}

/** Explains why this text is not a key, without repeating the text. */
export function explainMalformedKey(text: string): string {
  if (/^["'`“‘<]|["'`”’>]$/.test(text)) return 'The API key is in quotes or brackets: send it without them.';
  if (/(\\[nrt]|%0[ad]|%20)$/i.test(text)) return 'The API key ends with an escaped line break or space: leave it out.';
  if (/[^!-~]/.test(text))
    return 'The API key contains an invisible character, or a character that no key has: copy it again.';
  if (text.startsWith('key_')) return 'This is the id of a key: the key itself begins with nw_ and was shown once.';
  if (!text.startsWith('nw_')) return 'This is no Namewatch key: keys begin with nw_.';
  if (text.length !== API_KEY_LENGTH)
    return `The API key has ${text.length} characters instead of ${API_KEY_LENGTH}: copy it again.`;
  return 'The checksum of the API key is wrong: it was mistyped, or belongs to another text. Copy it again.';
}

export function digestApiKey(text: string): string {
  return hash('sha256', text);
}

function toApiKeyText(text: string, id: string): ApiKeyText {
  return { id, text, digest: digestApiKey(text) };
}
