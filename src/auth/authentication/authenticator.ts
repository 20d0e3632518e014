import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../../kernel/clock.js';
import { isActive, verifyKey, type StoredKey, shouldRecordUse } from '../domain/api-key.js';
import { ApiKeyRepository } from '../accounts/api-keys.repository.js';
import {
  AccountSuspended,
  InvalidToken,
  KeyRefused,
  KnownKeyRefused,
  type RefusedAttempt,
} from '../domain/auth.errors.js';
import { parseBearerCredential } from '../domain/credential.js';
import { digestApiKey, explainMalformedKey, parseApiKey } from '../domain/api-key-text.js';
import type { Caller, CallerIdentity } from '../caller/caller.js';
import { IdentityAuthenticator } from './identity-authenticator.js';
import { KeyLookup } from './key-lookup.js';
import { PlanCatalogue } from '../plans/plan-catalogue.js';

interface CachedKey {
  readonly stored: StoredKey;
  readonly by: CallerIdentity;
}

/** It is under a second: revocations must take effect in every process within one. */
const KEY_CACHE_TTL_MS = 900;
const KEY_CACHE_SIZE = 10_000;

/** Recognizes API keys, and what the authenticators of extensions take. */
@Injectable()
export class Authenticator {
  private readonly log = new Logger(Authenticator.name);
  private readonly keyCache = new LRUCache<string, CachedKey>({
    max: KEY_CACHE_SIZE,
    ttl: KEY_CACHE_TTL_MS,
    perf: { now: () => performance.now() }, // the same clock as requestedAt
  });

  private readonly lookup: KeyLookup;

  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly plans: PlanCatalogue,
    private readonly clock: Clock,
    private readonly identities: IdentityAuthenticator,
  ) {
    this.lookup = new KeyLookup(keys);
  }

  /**
   * @param authorization the header's value
   * @param lockedOutAddress the client's address while it is locked out: unknown keys are then looked up with a delay
   * @throws AuthenticationRequired without a credential, InvalidToken, AccountSuspended, RateLimited,
   *   AuthenticationUnavailable
   */
  async authenticate(authorization: string | undefined, lockedOutAddress: string | null = null): Promise<Caller> {
    if (!this.identities.isEmpty) {
      const identified = await this.identities.authenticate(authorization, lockedOutAddress);
      if (identified) return identified;
    }
    return this.authenticateKey(parseBearerCredential(authorization), lockedOutAddress);
  }

  private async authenticateKey(credential: string, lockedOutAddress: string | null): Promise<Caller> {
    const digest = digestApiKey(credential);
    const now = this.clock.now();
    const requestedAt = performance.now();
    const cached = this.keyCache.get(digest);
    const stored = cached?.stored ?? (await this.loadKey(credential, now, lockedOutAddress));
    if (!isActive(stored, now)) throw new KnownKeyRefused(endedKey(stored));
    const by = cached?.by ?? this.cacheKey(digest, stored, { requestedAt, now });
    if (stored.isSuspended) throw new AccountSuspended(withReason(stored, 'suspended'));
    return {
      account: { id: stored.accountId, plan: this.plans.forAccount(stored.plan) },
      by,
      scopes: stored.scopes,
    };
  }

  private async loadKey(credential: string, now: Date, lockedOutAddress: string | null): Promise<StoredKey> {
    const presented = parseApiKey(credential);
    if (!presented) throw new InvalidToken(explainMalformedKey(credential)); // without a query
    const stored = await this.lookup.find(presented, lockedOutAddress);
    const isValid = verifyKey(stored, presented, now);
    this.lookup.recordResult(presented, isValid);
    if (isValid) return stored;
    if (!stored) throw new KeyRefused();
    throw new KnownKeyRefused(isActive(stored, now) ? withReason(stored, 'wrong_secret') : endedKey(stored));
  }

  /** Cached from when it was requested: the key may have been revoked since. */
  private cacheKey(digest: string, stored: StoredKey, { requestedAt, now }: { requestedAt: number; now: Date }) {
    const by = { kind: 'key', id: stored.id } as const;
    const shouldRecord = shouldRecordUse(stored, now);
    this.keyCache.set(digest, { stored, by }, { start: requestedAt });
    if (shouldRecord) void this.recordUse(stored.id, now);
    return by;
  }

  /** No request waits for this or fails with it. */
  private async recordUse(id: string, at: Date): Promise<void> {
    try {
      await this.keys.recordUse(id, at);
    } catch (error) {
      this.log.warn(`could not record the use of ${id}:  ${(error as Error).message}`);
    }
  }
}

function endedKey(stored: StoredKey): RefusedAttempt {
  return withReason(stored, stored.revokedAt ? 'revoked' : 'expired');
}

function withReason({ id, accountId }: StoredKey, reason: RefusedAttempt['reason']): RefusedAttempt {
  return { reason, accountId, keyId: id };
}
