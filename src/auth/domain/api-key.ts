import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { AggregateRoot } from '../../kernel/aggregate-root.js';
import { API_KEY_LENGTH, formatApiKey, idOfApiKey } from '../../kernel/api-key-format.js';
import { after, MINUTE } from '../../kernel/clock.js';
import { newId } from '../../kernel/identifier.js';
import type { PageRequest } from './account.js';
import type { Scope } from './scope.js';

export interface ApiKeyText {
  /** `key_…` */
  readonly id: string;
  readonly text: string;
  /** The SHA-256 of the key, stored instead of the key. A secret of 256 random bits needs no slow hash. */
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

/** A key's use is recorded at most this often, to limit writes. */
const USE_RECORD_INTERVAL_MS = MINUTE;

export interface IssueKeyRequest {
  readonly accountId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
  /** `cli`, `bootstrap`, `first-start`, or the caller: the id of a key or person, or `<extension>:<subject>`. */
  readonly issuedBy: string;
}

/** A Bearer key of an account. Its text is shown once and never stored. */
export class ApiKey extends AggregateRoot<ApiKey> {
  private constructor(
    readonly id: string,
    readonly accountId: string,
    readonly name: string,
    readonly digest: string,
    readonly scopes: readonly Scope[],
    readonly createdAt: Date,
    readonly expiresAt: Date | null,
    readonly lastUsedAt: Date | null,
    readonly revokedAt: Date | null,
    readonly issuedBy: string,
  ) {
    super();
  }

  static issue(key: ApiKeyText, { accountId, name, scopes, expiresAt, issuedBy }: IssueKeyRequest, now: Date): ApiKey {
    return new ApiKey(key.id, accountId, name, key.digest, scopes, now, expiresAt, null, null, issuedBy);
  }

  revoke(now: Date): void {
    if (!this.revokedAt) this.become({ revokedAt: now });
  }
}

/** A key with its account's state, as read for authentication. */
export type StoredKey = Pick<
  ApiKey,
  'id' | 'accountId' | 'digest' | 'scopes' | 'expiresAt' | 'lastUsedAt' | 'revokedAt'
> & { readonly plan: string; readonly isSuspended: boolean };

/** Compares digests in constant time, so that the time reveals nothing about the stored digest. */
export function verifyKey(stored: StoredKey, presented: ApiKeyText, now: Date): boolean {
  const matches = timingSafeEqual(Buffer.from(stored.digest, 'hex'), Buffer.from(presented.digest, 'hex'));
  return matches && isActive(stored, now);
}

export function isActive({ revokedAt, expiresAt }: Pick<StoredKey, 'revokedAt' | 'expiresAt'>, now: Date): boolean {
  return !revokedAt && (!expiresAt || expiresAt > now);
}

export function shouldRecordUse(stored: StoredKey, now: Date): boolean {
  return !stored.lastUsedAt || after(stored.lastUsedAt, USE_RECORD_INTERVAL_MS) <= now;
}

export type ListedKey = Pick<
  ApiKey,
  'id' | 'name' | 'scopes' | 'createdAt' | 'expiresAt' | 'lastUsedAt' | 'revokedAt' | 'issuedBy'
>;

export interface KeyPageRequest extends PageRequest {
  readonly withRevoked: boolean;
}

export interface KeyPage {
  readonly keys: readonly ListedKey[];
  readonly total: number;
}
