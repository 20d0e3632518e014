import { Logger } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SECOND } from '../../kernel/clock.js';
import { DomainError } from '../../kernel/domain-error.js';
import { DatabaseUnavailable } from '../../kernel/unit-of-work.js';
import { AccountLines } from '../../platform/concurrency/account-lines.js';
import { callerAddress } from '../authentication/auth-failure-limiter.js';
import type { MinuteLimits } from '../authentication/minute-limits.js';
import type { RefusedAuthentications } from '../authentication/refused-authentications.js';
import { InvitationUnusable, RateLimited } from '../domain/auth.errors.js';
import type { ProvenPerson } from '../domain/proven-person.js';
import type { Members } from '../members/members.js';
import type { Sessions } from '../sessions/sessions.js';
import { type IdentityProvider, ProviderUnavailable, SignInDeclined, SignInUnproven } from './identity-provider.js';
import { type BegunSignIn, type SignInCookie, toReturnPath } from './sign-in-cookie.js';

/** The reason of a failed sign-in. The dashboard has a text for each reason. */
export type SignInProblem =
  /** This browser began no sign-in, or began it more than ten minutes ago. */
  | 'sign_in_expired'
  | 'sign_in_declined'
  | 'sign_in_unproven'
  | 'sign_in_unavailable'
  /** The provider knows the person, but the person is in no account. */
  | 'sign_in_no_account'
  | 'sign_in_invitation'
  | 'rate_limited';

export interface SignInOutcome {
  /** A path of the dashboard. */
  readonly returnPath: string;
  /** Values of `Set-Cookie`. */
  readonly cookies: readonly string[];
  /** null if the browser is signed in. */
  readonly problem: SignInProblem | null;
  /** The email address of a person who is in no account, as the provider knows the address. */
  readonly email?: string | null;
}

/** The limit for one person, so that a browser that is redirected in circles does not start many sessions. */
const SIGN_INS_PER_MINUTE = 20;
/** An "account" is a client address here, so a client that sends thousands of requests delays only itself. */
const TURNS = { active: 20, activePerAccount: 4, waitingPerAccount: 250, waitMs: 10 * SECOND };
/** Codes of refusals after which a later try may succeed. */
const TOO_MANY: ReadonlySet<string> = new Set(['rate_limited', 'too_many_concurrent_requests', 'overloaded']);

interface Parts {
  readonly provider: IdentityProvider;
  readonly publicUrl: string;
  readonly cookie: SignInCookie;
  readonly members: Members;
  readonly sessions: Sessions;
  readonly limits: MinuteLimits;
  readonly refused: RefusedAuthentications;
}

export class SignIn {
  private readonly log = new Logger(SignIn.name);
  private readonly turns = new AccountLines(TURNS);
  private warnedAt = -Infinity;

  constructor(private readonly parts: Parts) {}

  /** Returns the provider's name, whether people can sign in now, and the addresses to sign in and out. */
  async describe() {
    const { provider, publicUrl } = this.parts;
    const isAvailable = await provider.isAvailable();
    // A sign-in must begin at the public address, because the provider sends people back there. Browsers send the
    // cookie only to the host that set it.
    const signInUrl = `${publicUrl.replace(/\/+$/, '')}/sign-in`;
    return { name: provider.host, isAvailable, signInUrl, signOutUrl: await provider.signOutUrl() };
  }

  /**
   * @param wanted the dashboard page to open later
   * @param invitation the secret of an invitation's link
   * @returns null if the provider does not answer
   */
  async begin(wanted: unknown, invitation: unknown): Promise<{ url: URL; cookie: string } | null> {
    try {
      const { url, secrets } = await this.parts.provider.begin();
      const begun = { ...secrets, returnPath: toReturnPath(wanted), invitation: toInvitation(invitation) };
      return { url, cookie: this.parts.cookie.set(begun) };
    } catch (error) {
      if (error instanceof ProviderUnavailable) return null;
      throw error;
    }
  }

  /** @param query the query of the address that the browser came back to */
  async complete(query: string, request: FastifyRequest): Promise<SignInOutcome> {
    const { cookie } = this.parts;
    const begun = cookie.read(request.headers.cookie);
    const returnPath = begun?.returnPath ?? toReturnPath(null);
    const cookies = [cookie.clear()];
    if (!begun) return { returnPath, cookies, problem: 'sign_in_expired' };
    try {
      const proven = await this.prove(query, begun, request.ip);
      const person = await this.parts.members.signIn(proven, begun.invitation);
      const { id, accountId } = person;
      if (accountId === null) return { returnPath, cookies, problem: 'sign_in_no_account', email: proven.email };
      const actor = { type: 'person', id, name: proven.name ?? proven.email } as const;
      const session = await this.parts.sessions.start({ owner: { personId: id }, actor, accountId }, request);
      const invitedTo = begun.invitation === null ? null : `/ui/${accountId}/`;
      return { returnPath: invitedTo ?? returnPath, cookies: [...cookies, session.cookie], problem: null };
    } catch (error) {
      return { returnPath, cookies, problem: this.toProblem(error, request.ip) };
    }
  }

  private async prove(query: string, begun: BegunSignIn, ip: string): Promise<ProvenPerson> {
    const { provider, limits } = this.parts;
    const permit = await this.turns.enter(callerAddress(ip));
    try {
      const proven = await provider.complete(query, begun);
      const holder = `sign-ins of ${proven.issuer} ${proven.subject}`;
      if ((await limits.admit(holder, SIGN_INS_PER_MINUTE)).isAdmitted) return proven;
      throw new RateLimited(`A person signs in at most ${SIGN_INS_PER_MINUTE} times a minute.`, 60);
    } finally {
      permit?.release();
    }
  }

  /** @throws the error itself if it is not about the sign-in */
  private toProblem(error: unknown, ip: string): SignInProblem {
    if (error instanceof DomainError && TOO_MANY.has(error.code)) return 'rate_limited';
    if (error instanceof InvitationUnusable) return 'sign_in_invitation';
    if (error instanceof SignInDeclined) return 'sign_in_declined';
    if (error instanceof ProviderUnavailable || error instanceof DatabaseUnavailable) {
      this.warn(`a sign-in failed: ${error.message}`);
      return 'sign_in_unavailable';
    }
    if (!(error instanceof SignInUnproven)) throw error;
    this.warn(`a sign-in was refused: ${error.message}`);
    this.parts.refused.add({ reason: 'sign_in', accountId: null, keyId: null }, ip);
    return 'sign_in_unproven';
  }

  /** Logs a warning at most once a second, because anyone can cause refused sign-ins. */
  private warn(line: string): void {
    const now = performance.now();
    if (now - this.warnedAt < SECOND) return;
    this.warnedAt = now;
    this.log.warn(line);
  }
}

const INVITATION = /^[\w.-]{1,200}$/;

function toInvitation(text: unknown): string | null {
  return typeof text === 'string' && INVITATION.test(text) ? text : null;
}
