import { Inject, Injectable, Logger } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { Clock, MINUTE } from '../../kernel/clock.js';
import { isId } from '../../kernel/identifier.js';
import { redactedError } from '../../platform/logging/request-credentials.js';
import { withTimeout } from '../../kernel/promises.js';
import type { AccountState } from '../domain/account.js';
import { AccountRepository } from '../accounts/accounts.repository.js';
import { AccountSuspended, AuthenticationUnavailable, InvalidToken } from '../domain/auth.errors.js';
import {
  type Credential,
  type Identity,
  parseForeignCredential,
  parseIdentity,
  withoutToken,
} from '../domain/credential.js';
import { type Scope, ScopeCatalogue } from '../domain/scope.js';
import type { Caller, CallerIdentity } from '../caller/caller.js';
import { PlanCatalogue } from '../plans/plan-catalogue.js';
import { CredentialCache } from './credential-cache.js';

/** Injection token of the authenticators that extensions add: `readonly ExtensionAuthenticator[]`. */
export const EXTENSION_AUTHENTICATORS = 'extension-authenticators';

/**
 * Recognizes credentials other than API keys. Results are cached for less than a second, so an authenticator may be
 * asked several times for one long request.
 */
export abstract class AccountAuthenticator {
  /**
   * Finds who sent the credential. After five seconds, or any error except InvalidToken, the request gets 503.
   * @returns null for a credential of another kind
   * @throws InvalidToken for an invalid credential
   */
  abstract identify(credential: Credential): Promise<Identity | null>;
}

export interface ExtensionAuthenticator {
  readonly extension: string;
  readonly authenticator: AccountAuthenticator;
}

const IDENTIFY_TIMEOUT_MS = 5_000;
/**
 * How many unknown credentials of a locked-out address may wait for authenticators. Further credentials are refused.
 */
const MAX_WAITING = 10;

interface ResolvedIdentity {
  readonly account: AccountState;
  readonly scopes: readonly Scope[];
  readonly by: CallerIdentity & { readonly kind: 'identity' };
}

/** Asks the extensions' authenticators, in order, to identify a credential that is not an API key. */
@Injectable()
export class IdentityAuthenticator {
  private readonly log = new Logger(IdentityAuthenticator.name);
  private readonly loggedAt = new Map<string, number>();
  private readonly known = new CredentialCache<ResolvedIdentity | null>(MAX_WAITING);

  constructor(
    @Inject(EXTENSION_AUTHENTICATORS) private readonly authenticators: readonly ExtensionAuthenticator[],
    private readonly accounts: AccountRepository,
    private readonly scopes: ScopeCatalogue,
    private readonly plans: PlanCatalogue,
    private readonly clock: Clock,
  ) {}

  /** Whether no extension has an authenticator. Then every credential must be an API key. */
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
    return this.known.find(digest, lockedOutAddress, () => this.identify(credential));
  }

  private async identify(credential: Credential): Promise<ResolvedIdentity | null> {
    for (const one of this.authenticators) {
      const identity = await this.ask(one, credential);
      if (identity === null) continue;
      const { accountId, subject, name = null, scopes, expiresAt } = identity;
      const account = isId('acc', accountId) ? await this.accounts.findState(accountId) : null;
      if (!account) throw new InvalidToken('The credential names an account that does not exist.');
      const by = { kind: 'identity', subject, name, authenticator: one.extension, expiresAt } as const;
      return { account, by, scopes: scopes.filter((scope) => this.scopes.has(scope)) };
    }
    return null;
  }

  private async ask({ extension, authenticator }: ExtensionAuthenticator, credential: Credential) {
    try {
      const answer = await withTimeout(IDENTIFY_TIMEOUT_MS, authenticator.identify(Object.freeze({ ...credential })));
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

  /** Logs at most once a minute, since every request during an outage fails in the same way. */
  private logFailure(extension: string, err: unknown): void {
    const now = performance.now();
    if (now - (this.loggedAt.get(extension) ?? -Infinity) < MINUTE) return;
    this.loggedAt.set(extension, now);
    this.log.error({ err }, `the authenticator of the extension ${extension} failed`);
  }
}
