import type { FastifyRequest } from 'fastify';
import { InvitationUnusable } from '../domain/auth.errors.js';
import type { Offer } from '../domain/member.js';
import type { Members } from '../members/members.js';
import type { SessionCookie } from '../sessions/session-cookie.js';
import type { Sessions } from '../sessions/sessions.js';
import type { OfferCookie, OpenOffer } from './sign-in-cookie.js';
import { startSession } from './sign-in.service.js';

/**
 * Asks who has proven to be invited, on our own page, and joins after a click there. A link, on whatever page, leads to the question
 * only: otherwise anyone could make somebody who is signed in a member of their account.
 */
export class Joining {
  constructor(
    private readonly parts: {
      readonly offer: OfferCookie;
      readonly members: Members;
      readonly sessions: Sessions;
      readonly sessionCookie: SessionCookie;
    },
  ) {}

  /** @throws ForbiddenOrigin, InvitationUnusable */
  async describe(request: FastifyRequest): Promise<Offer> {
    const { person, invitation } = this.read(request);
    return this.parts.members.offer(invitation, person.email);
  }

  /**
   * @returns the account, with values of `Set-Cookie`
   * @throws ForbiddenOrigin, InvitationUnusable
   */
  async accept(request: FastifyRequest): Promise<{ accountId: string; cookies: string[] }> {
    const { person, invitation } = this.read(request);
    const joined = await this.parts.members.join(person, invitation);
    const { cookie } = await startSession(this.parts.sessions, joined, person, request);
    return { accountId: joined.accountId, cookies: [this.parts.offer.clear(), cookie] };
  }

  private read(request: FastifyRequest): OpenOffer {
    this.parts.sessionCookie.requireOwnRequest(request);
    const open = this.parts.offer.read(request.headers.cookie);
    if (!open) throw new InvitationUnusable();
    return open;
  }
}
