import { Inject, Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { createHash } from 'node:crypto';
import { Clock, MINUTE } from '../../kernel/clock.js';
import { isId } from '../../kernel/identifier.js';
import { redactedError } from '../../platform/logging/request-credentials.js';
import { withTimeout } from '../../kernel/promises.js';
import type { AccountState } from '../domain/account.js';
import { AccountRepository } from '../accounts/accounts.repository.js';
import { AccountSuspended, AuthenticationUnavailable, InvalidToken, RateLimited } from '../domain/auth.errors.js';
import { callerAddress, parseForeignCredential, parseIdentity, withoutToken } from '../domain/credential.js';
import { type Scope, ScopeCatalogue } from '../domain/scope.js';
import type { Caller, CallerIdentity } from '../caller/caller.js';
import { PlanCatalogue } from '../plans/plan-catalogue.js';
import { type Credential, EXTENSION_AUTHENTICATORS, type ExtensionAuthenticator } from './account-authenticator.js';

const IDENTIFY_TIMEOUT_MS = 5_000;
/** Under a second, as for keys: what is revoked must be refused within one. */
const CACHE_TTL_MS = 900;
const CACHE_SIZE = 10_000;
/** Limits the waiting requests of an address that is locked out. */
const MAX_WAITING = 10;

interface ResolvedIdentity {
  readonly account: AccountState;
  readonly scopes: readonly Scope[];
  readonly by: CallerIdentity & { readonly kind: 'identity' };
}

/** Asks the authenticators of extensions who sends a credential that is no API key, in order. */
@Injectable()
export class IdentityAuthenticator {
  private readonly log = new Logger(IdentityAuthenticator.name);
  private readonly loggedAt = new Map<string, number>();
  private readonly waiting = new Map<string, number>();
  /** By digest, from when they were asked for; requests with the same credential share the answer. */
  private readonly resolved = new LRUCache<string, Promise<ResolvedIdentity | null>>({
    ...{ max: CACHE_SIZE, ttl: CACHE_TTL_MS },
    perf: { now: () => performance.now() },
  });

  constructor(
    @Inject(EXTENSION_AUTHENTICATORS) private readonly authenticators: readonly ExtensionAuthenticator[],
    private readonly accounts: AccountRepository,
    private readonly scopes: ScopeCatalogue,
    private readonly plans: PlanCatalogue,
    private readonly clock: Clock,
  ) {}

  /** Then every credential is an API key, and no request pays for more. */
  get isEmpty(): boolean {
    return this.authenticators.length === 0;
  }

  /**
   * @returns null for an API key, and when no authenticator takes the credential
   * @throws InvalidToken, AccountSuspended, AuthenticationUnavailable, RateLimited
   */
  async authenticate(authorization: string | undefined, lockedOutAddress: string | null): Promise<Caller | null> {
    const credential = parseForeignCredential(authorization);
    const identity = credential && (await this.resolve(credential, lockedOutAddress));
    if (!identity) return null;
    const { account, by, scopes } = identity;
    if (by.expiresAt && by.expiresAt <= this.clock.now()) throw new InvalidToken('The credential has expired.');
    if (account.isSuspended) throw new AccountSuspended({ reason: 'suspended', accountId: account.id, keyId: null });
    return { account: { id: account.id, plan: this.plans.forAccount(account.plan) }, by, scopes };
  }

  private resolve(credential: Credential, lockedOutAddress: string | null): Promise<ResolvedIdentity | null> {
    const digest = createHash('sha256').update(`${credential.scheme} ${credential.token}`).digest('base64');
    const known = this.resolved.get(digest);
    if (known) return known;
    const asked = this.limit(lockedOutAddress, () => this.identify(credential));
    this.resolved.set(digest, asked);
    asked.catch(() => this.resolved.peek(digest) === asked && this.resolved.delete(digest)); // failures are not kept
    return asked;
  }

  private async identify(credential: Credential): Promise<ResolvedIdentity | null> {
    for (const one of this.authenticators) {
      const identity = await this.ask(one, credential);
      if (identity === null) continue;
      const { accountId, subject, scopes, expiresAt } = identity;
      const account = isId('acc', accountId) ? await this.accounts.findState(accountId) : null;
      if (!account) throw new InvalidToken('The credential names an account that does not exist.');
      const by = { kind: 'identity', subject, authenticator: one.extension, expiresAt } as const;
      return { account, by, scopes: scopes.filter((scope) => this.scopes.has(scope)) };
    }
    return null;
  }

  private async ask({ extension, authenticator }: ExtensionAuthenticator, credential: Credential) {
    try {
      // Wrapped: one that throws before it returns a promise has failed in the same way.
      const asked = Promise.resolve().then(() => authenticator.identify(Object.freeze({ ...credential })));
      const answer = await withTimeout(IDENTIFY_TIMEOUT_MS, asked);
      return answer === null ? null : parseIdentity(answer);
    } catch (error) {
      if (error instanceof InvalidToken) throw error;
      this.logFailure(
        extension,
        redactedError(error, (text) => withoutToken(text, credential)),
      );
      throw new AuthenticationUnavailable();
    }
  }

  /** Guessing from a locked-out address must not keep the authenticators busy. */
  private async limit<Result>(address: string | null, work: () => Promise<Result>): Promise<Result> {
    if (address === null) return work();
    const key = callerAddress(address);
    const waiting = this.waiting.get(key) ?? 0;
    if (waiting >= MAX_WAITING)
      throw new RateLimited('Too many unknown credentials from this address are being checked.', 1);
    this.waiting.set(key, waiting + 1);
    try {
      return await work();
    } finally {
      const left = (this.waiting.get(key) ?? 1) - 1;
      if (left > 0) this.waiting.set(key, left);
      else this.waiting.delete(key);
    }
  }

  /** Once a minute: each request of an outage fails in the same way. */
  private logFailure(extension: string, err: unknown): void {
    const now = performance.now();
    if (now - (this.loggedAt.get(extension) ?? -Infinity) < MINUTE) return;
    this.loggedAt.set(extension, now);
    this.log.error({ err }, `the authenticator of the extension ${extension} failed`);
  }
}
