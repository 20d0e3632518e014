import { Injectable, Logger } from '@nestjs/common';
import { digestSecretToken, verifySecretToken, type SecretToken } from '../../platform/crypto/secret-token.js';
import { Clock } from '../../kernel/clock.js';
import { CredentialCache } from './credential-cache.js';
import type { Caller, CallerIdentity, SessionHolder } from '../caller/caller.js';
import { isActive } from '../domain/api-key.js';
import { AccountRequired, AccountSuspended, KnownKeyRefused, NotAMember, SessionEnded } from '../domain/auth.errors.js';
import { type Scope, ScopeCatalogue, scopesOf } from '../domain/scope.js';
import { SESSION_LIFETIME, shouldRecordSessionUse, type StoredSession } from '../domain/session.js';
import { PlanCatalogue } from '../plans/plan-catalogue.js';
import { SessionRepository } from '../sessions/sessions.repository.js';

/** How many unknown session cookies from one locked-out IP address are looked up at a time. Others are refused. */
const MAX_WAITING = 10;

export interface RequestedAccount {
  /** null for the account that the person joined first. */
  readonly accountId: string | null;
  /** Whether the request changes something in the account. */
  readonly isChanged: boolean;
}

/** Recognizes session cookies. Each lookup is one statement, and its result is cached for less than a second. */
@Injectable()
export class SessionAuthenticator {
  private readonly log = new Logger(SessionAuthenticator.name);
  private readonly known = new CredentialCache<StoredSession>(MAX_WAITING);

  constructor(
    private readonly sessions: SessionRepository,
    private readonly plans: PlanCatalogue,
    private readonly scopes: ScopeCatalogue,
    private readonly clock: Clock,
  ) {}

  /** @throws SessionEnded, KnownKeyRefused, AccountRequired, AccountSuspended, NotAMember, RateLimited */
  async authenticate(token: SecretToken, about: RequestedAccount, lockedOutAddress: string | null): Promise<Caller> {
    return this.toCaller(await this.findRunning(token, about.accountId, lockedOutAddress), about);
  }

  /**
   * Succeeds even if the account is suspended or the person has no account.
   * @throws SessionEnded, KnownKeyRefused, RateLimited
   */
  async identifyHolder(token: SecretToken, lockedOutAddress: string | null): Promise<SessionHolder> {
    const { account, key, person } = await this.findRunning(token, null, lockedOutAddress);
    const of = account && { id: account.id, plan: this.plans.forAccount(account.plan) };
    if (key) return { account: of, by: { kind: 'key', id: key.id } };
    if (!person) throw new SessionEnded();
    const { id, name, email } = person;
    return { account: of, by: { kind: 'person', id, name, email } };
  }

  private async findRunning(token: SecretToken, accountId: string | null, lockedOutAddress: string | null) {
    const stored = await this.find(token, accountId, lockedOutAddress);
    const now = this.clock.now();
    if (SESSION_LIFETIME.hasEnded(stored, now)) throw new SessionEnded();
    const { account, key } = stored;
    if (key && !isActive(key, now)) {
      const reason = key.revokedAt ? 'revoked' : 'expired';
      throw new KnownKeyRefused({ accountId: account?.id ?? null, keyId: key.id, reason });
    }
    if (shouldRecordSessionUse(stored, now)) void this.recordUse(stored.id, now);
    return stored;
  }

  private find(token: SecretToken, accountId: string | null, lockedOutAddress: string | null) {
    const digest = `${token.id} ${digestSecretToken(token)} ${accountId ?? ''}`;
    return this.known.find(digest, lockedOutAddress, async () => {
      const stored = await this.sessions.findStored(token.id, accountId);
      if (!verifySecretToken(stored, token)) throw new SessionEnded();
      return stored;
    });
  }

  private toCaller(stored: StoredSession, { accountId, isChanged }: RequestedAccount): Caller {
    const { account, key } = stored;
    if (isChanged && accountId === null && !stored.hasSoleAccount) throw new AccountRequired();
    if (!account || (accountId !== null && account.id !== accountId)) throw new NotAMember();
    if (account.isSuspended)
      throw new AccountSuspended({ accountId: account.id, keyId: key?.id ?? null, reason: 'suspended' });
    const { by, scopes } = this.identify(stored);
    return { account: { id: account.id, plan: this.plans.forAccount(account.plan) }, by, scopes };
  }

  private identify({ key, person }: StoredSession): { by: CallerIdentity; scopes: readonly Scope[] } {
    if (key) return { by: { kind: 'key', id: key.id }, scopes: key.scopes };
    if (!person?.role) throw new NotAMember();
    const { id, name, email, role } = person;
    return { by: { kind: 'person', id, name, email, role }, scopes: scopesOf(role, this.scopes) };
  }

  /** Records the use of a session in the background. No request waits for this write or fails with it. */
  private async recordUse(id: string, at: Date): Promise<void> {
    try {
      await this.sessions.recordUse(id, at);
    } catch (error) {
      this.log.warn(`could not record the use of ${id}: ${(error as Error).message}`);
    }
  }
}
