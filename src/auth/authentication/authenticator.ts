import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import {
  digestApiKey,
  explainMalformedKey,
  isActive,
  parseApiKey,
  verifyKey,
  type StoredKey,
  shouldRecordUse,
} from '../domain/api-key.js';
import { ApiKeyRepository } from '../accounts/api-keys.repository.js';
import {
  AccountSuspended,
  InvalidToken,
  KeyRefused,
  KnownKeyRefused,
  type RefusedAttempt,
} from '../domain/auth.errors.js';
import { parseBearerCredential } from '../domain/credential.js';
import type { Caller } from '../caller/caller.js';
import { CredentialCache } from './credential-cache.js';
import { IdentityAuthenticator } from './identity-authenticator.js';
import { PlanCatalogue } from '../plans/plan-catalogue.js';

/** How many unknown keys from one locked-out IP address are looked up at a time. Further keys are refused. */
const MAX_WAITING_KEYS = 100;

/** Recognizes API keys, and the credentials that authenticators of extensions accept. */
@Injectable()
export class Authenticator {
  private readonly log = new Logger(Authenticator.name);
  private readonly known = new CredentialCache<StoredKey>(MAX_WAITING_KEYS);

  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly plans: PlanCatalogue,
    private readonly clock: Clock,
    private readonly identities: IdentityAuthenticator,
  ) {}

  /**
   * @param lockedOutAddress the client's address during its lockout, else null; limits the lookups of unknown keys
   * @throws AuthenticationRequired, InvalidToken, AccountSuspended, RateLimited, AuthenticationUnavailable
   */
  async authenticate(authorization: string | undefined, lockedOutAddress: string | null): Promise<Caller> {
    if (!this.identities.isEmpty) {
      const identified = await this.identities.authenticate(authorization, lockedOutAddress);
      if (identified) return identified;
    }
    return this.authenticateKey(parseBearerCredential(authorization), lockedOutAddress);
  }

  private async authenticateKey(credential: string, lockedOutAddress: string | null): Promise<Caller> {
    const now = this.clock.now();
    const stored = await this.known.find(digestApiKey(credential), lockedOutAddress, () =>
      this.loadKey(credential, now),
    );
    if (!isActive(stored, now)) throw new KnownKeyRefused(endedKey(stored));
    if (stored.isSuspended) throw new AccountSuspended(withReason(stored, 'suspended'));
    return {
      account: { id: stored.accountId, plan: this.plans.forAccount(stored.plan) },
      by: { kind: 'key', id: stored.id },
      scopes: stored.scopes,
    };
  }

  private async loadKey(credential: string, now: Date): Promise<StoredKey> {
    const presented = parseApiKey(credential);
    if (!presented) throw new InvalidToken(explainMalformedKey(credential)); // a malformed key costs no query
    const stored = await this.keys.findStored(presented.id);
    if (!stored) throw new KeyRefused();
    if (!verifyKey(stored, presented, now))
      throw new KnownKeyRefused(isActive(stored, now) ? withReason(stored, 'wrong_secret') : endedKey(stored));
    if (shouldRecordUse(stored, now)) void this.recordUse(stored.id, now);
    return stored;
  }

  /** Records the use of a key in the background. No request waits for this write or fails with it. */
  private async recordUse(id: string, at: Date): Promise<void> {
    try {
      await this.keys.recordUse(id, at);
    } catch (error) {
      this.log.warn(`could not record the use of ${id}: ${(error as Error).message}`);
    }
  }
}

function endedKey(stored: StoredKey): RefusedAttempt {
  return withReason(stored, stored.revokedAt ? 'revoked' : 'expired');
}

function withReason({ id, accountId }: StoredKey, reason: RefusedAttempt['reason']): RefusedAttempt {
  return { reason, accountId, keyId: id };
}
