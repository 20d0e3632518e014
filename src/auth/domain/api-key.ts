import { timingSafeEqual } from 'node:crypto';
import { AggregateRoot } from '../../kernel/aggregate-root.js';
import { after, MINUTE } from '../../kernel/clock.js';
import type { PageRequest } from './account.js';
import type { ApiKeyText } from './api-key-text.js';
import type { Scope } from './scope.js';

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

const NO_DIGEST = Buffer.alloc(32).toString('hex');

/** Whether the presented key is valid. An unknown id takes as long as a known id, so that timing reveals nothing. */
export function verifyKey(stored: StoredKey | null, presented: ApiKeyText, now: Date): stored is StoredKey {
  const expected = Buffer.from(stored?.digest ?? NO_DIGEST, 'hex');
  const matches = timingSafeEqual(expected, Buffer.from(presented.digest, 'hex'));
  return stored !== null && matches && isActive(stored, now);
}

export function isActive({ revokedAt, expiresAt }: Pick<StoredKey, 'revokedAt' | 'expiresAt'>, now: Date): boolean {
  return !revokedAt && (!expiresAt || expiresAt > now);
}

export function shouldRecordUse(stored: StoredKey, now: Date): boolean {
  return !stored.lastUsedAt || after(stored.lastUsedAt, USE_RECORD_INTERVAL_MS) <= now;
}

/**
 * `immediate` looks up one key. `batched` joins concurrent lookups into one statement. `delayed` joins all lookups of a
 * quarter of a second, because a locked-out address may be guessing keys.
 */
export type KeyLookupMode = 'immediate' | 'batched' | 'delayed';

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
