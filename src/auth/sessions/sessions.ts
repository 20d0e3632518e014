import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { after, Clock } from '../../kernel/clock.js';
import { digestSecretToken, newSecretToken, type SecretToken } from '../../platform/crypto/secret-token.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { AuditTrail } from '../audit/audit-trail.js';
import type { SessionHolder } from '../caller/caller.js';
import type { AuditActor } from '../domain/audit-record.js';
import { type Session, SESSION_LIFETIME, type SessionOwner } from '../domain/session.js';
import { SessionCookie } from './session-cookie.js';
import { SessionRepository } from './sessions.repository.js';

/** The person or key that signs in, and the account whose audit trail records the sign-in. */
export interface SigningIn {
  readonly owner: SessionOwner;
  readonly actor: AuditActor;
  readonly accountId: string;
}

@Injectable()
export class Sessions {
  constructor(
    private readonly sessions: SessionRepository,
    private readonly cookie: SessionCookie,
    private readonly audit: AuditTrail,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /**
   * @returns the session with the value of `Set-Cookie`
   * @throws SessionNeedsTls over plain HTTP, except on this machine
   */
  async start({ owner, actor, accountId }: SigningIn, request: FastifyRequest) {
    const token = newSecretToken('ses');
    const now = this.clock.now();
    const origin = { ...this.audit.origin(), actor };
    const session: Session = {
      id: token.id,
      createdAt: now,
      usedAt: now,
      endsAt: SESSION_LIFETIME.endOf(now),
      address: origin.address,
      userAgent: origin.userAgent,
    };
    const cookie = this.cookie.set(request, token, session.endsAt);
    const former = this.cookie.peek(request);
    await this.work.run(async () => {
      // Ends the browser's earlier session: an attacker could have planted its cookie, and would know its token.
      if (former) await this.sessions.deleteProven(former, digestSecretToken(former));
      await this.sessions.insert(session, digestSecretToken(token), owner);
      const after = { ends_at: session.endsAt.toISOString() };
      await this.audit.record({ action: 'session.started', accountId, targetId: session.id, after }, origin);
    });
    return { session, cookie };
  }

  list(holder: SessionHolder): Promise<Session[]> {
    return this.sessions.list(nameHolder(holder));
  }

  /**
   * Ends a session of the holder.
   * @returns false if the holder has no session of this id
   */
  end(id: string, holder: SessionHolder): Promise<boolean> {
    return this.work.run(async () => {
      if (!(await this.sessions.delete(id, nameHolder(holder)))) return false;
      await this.audit.record({ action: 'session.ended', accountId: holder.account?.id ?? null, targetId: id });
      return true;
    });
  }

  /**
   * Ends the sessions of the holder.
   * @param kept the session that stays, if any
   * @returns how many ended
   */
  endAll(holder: SessionHolder, kept: SecretToken | null): Promise<number> {
    return this.work.run(async () => {
      const ended = await this.sessions.deleteAll(nameHolder(holder), kept?.id ?? null);
      const entry = { action: 'session.ended', accountId: holder.account?.id ?? null, targetId: null } as const;
      if (ended > 0) await this.audit.record({ ...entry, before: { sessions: ended } });
      return ended;
    });
  }

  async purge(): Promise<void> {
    const now = this.clock.now();
    await this.sessions.deleteEnded(now, after(now, -SESSION_LIFETIME.idleMs));
  }
}

/** Returns an empty name for an extension's identity, which has no sessions. No session belongs to the empty name. */
function nameHolder({ by }: SessionHolder): string {
  return by.kind === 'identity' ? '' : by.id;
}
