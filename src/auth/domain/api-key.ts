import { timingSafeEqual } from 'node:crypto';
import { AggregateRoot } from '../../kernel/aggregate-root.js';
import { after, MINUTE } from '../../kernel/clock.js';
import type { ApiKeyText } from './api-key-format.js';
import type { Scope } from './scope.js';

/** A key's use is noted at most this often; every request would be a write otherwise. */
const USE_RECORD_INTERVAL_MS = MINUTE;

export interface IssueKeyRequest {
  readonly accountId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
  /** `cli`, `bootstrap`, `first-start`, or the id of the key that was used. */
  readonly issuedBy: string;
}

/** A Bearer key of an account. The text itself is shown once and never stored. */
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
    /** null: issued before this was noted. */
    readonly issuedBy: string | null,
  ) {
    super();
  }

  static issue(key: ApiKeyText, { accountId, name, scopes, expiresAt, issuedBy }: IssueKeyRequest, now: Date): ApiKey {
    return new ApiKey(key.id, accountId, name, key.digest, scopes, now, expiresAt, null, null, issuedBy);
  }

  /** Revoking again changes nothing: the first revocation's time stays. */
  revoke(now: Date): void {
    if (!this.revokedAt) this.become({ revokedAt: now });
  }
}

/** A key as authentication reads it: the row, and whose it is. */
export interface StoredKey {
  readonly id: string;
  readonly accountId: string;
  readonly plan: string;
  /** Whether the account is suspended. */
  readonly isSuspended: boolean;
  readonly digest: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
}

const NO_DIGEST = Buffer.alloc(32).toString('hex');

/** Whether this text opens the account. An unknown id compares as well, so that time tells nothing. */
export function verifyKey(stored: StoredKey | null, presented: ApiKeyText, now: Date): stored is StoredKey {
  const expected = Buffer.from(stored?.digest ?? NO_DIGEST, 'hex');
  const matches = timingSafeEqual(expected, Buffer.from(presented.digest, 'hex'));
  return stored !== null && matches && isActive(stored, now);
}

/** Neither revoked nor expired, as far as is known. */
export function isActive({ revokedAt, expiresAt }: StoredKey, now: Date): boolean {
  return !revokedAt && (!expiresAt || expiresAt > now);
}

export function shouldRecordUse(stored: StoredKey, now: Date): boolean {
  return !stored.lastUsedAt || after(stored.lastUsedAt, USE_RECORD_INTERVAL_MS) <= now;
}

/**
 * How a key is read: `now` by a statement of its own, `shared` with others that are asked for meanwhile, one statement
 * at a time, `gathered` with others of the next quarter of a second.
 */
export type KeyLookupMode = 'immediate' | 'batched' | 'delayed';

/** A key as lists show it. */
export type ListedKey = Pick<
  ApiKey,
  'id' | 'name' | 'scopes' | 'createdAt' | 'expiresAt' | 'lastUsedAt' | 'revokedAt' | 'issuedBy'
>;

export interface KeyPageRequest {
  readonly page: number;
  readonly perPage: number;
  /** Whether revoked keys are among them. */
  readonly withRevoked: boolean;
}

export interface KeyPage {
  readonly keys: readonly ListedKey[];
  readonly total: number;
}

export abstract class ApiKeyRepository {
  abstract add(key: ApiKey): void;
  /** For a change, inside a unit of work. */
  abstract find(id: string, accountId?: string): Promise<ApiKey | null>;
  /** Inside a unit of work; holds off other countings of the account until it ends. */
  abstract countActive(accountId: string, now: Date): Promise<number>;
  /** Oldest first. */
  abstract page(accountId: string, request: KeyPageRequest): Promise<KeyPage>;
  /** Deletes up to `limit` keys that were revoked or expired before then. @returns how many */
  abstract deleteEnded(before: Date, limit: number): Promise<number>;
  /** For authentication, outside any transaction. */
  abstract findStored(id: string, mode: KeyLookupMode): Promise<StoredKey | null>;
  abstract recordUse(id: string, at: Date): Promise<void>;
}
