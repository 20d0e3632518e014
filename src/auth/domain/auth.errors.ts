import { DomainError } from '../../kernel/domain-error.js';
import type { Scope } from './scope.js';

export class AuthenticationRequired extends DomainError {
  constructor(message = 'Send the header "Authorization: Bearer <API key>".') {
    super('authentication_required', message);
  }
}

/** The message must not tell guessers whether a key is unknown, expired or revoked. */
export class InvalidToken extends DomainError {
  constructor(message = 'The credential is not valid: it is unknown, expired or revoked.') {
    super('invalid_token', message);
  }
}

/** A refused credential, as the audit trail records it. */
export interface RefusedAttempt {
  readonly reason: 'unknown' | 'wrong_secret' | 'expired' | 'revoked' | 'suspended' | 'sign_in' | 'various';
  /** The account of the credential; null if the account is not known. */
  readonly accountId: string | null;
  readonly keyId: string | null;
}

/** The message is the same for known and unknown keys, so that no response reveals which keys exist. */
export class KeyRefused extends InvalidToken {
  constructor() {
    super('The API key is not valid: it is unknown, expired or revoked.');
  }
}

/** An API key that exists is refused. `attempt` tells the audit trail the reason, which the caller does not learn. */
export class KnownKeyRefused extends KeyRefused {
  constructor(readonly attempt: RefusedAttempt) {
    super();
  }
}

/** The credential is valid, but its account is suspended. Callers without a valid credential never get this error. */
export class AccountSuspended extends DomainError {
  constructor(readonly attempt: RefusedAttempt) {
    super('invalid_token', 'The account of this credential is suspended: ask the people who run this service.');
  }
}

/** The session is unknown or has ended. Both get the same message, so that nobody learns which tokens existed. */
export class SessionEnded extends InvalidToken {
  constructor() {
    super('The session has ended: sign in again.');
  }
}

/**
 * The request did not come from our dashboard. Browsers also send our cookie with requests that other websites cause.
 */
export class ForbiddenOrigin extends DomainError {
  constructor() {
    super(
      'forbidden_origin',
      'A request by cookie is taken from the dashboard of this service only. Programs send an API key.',
    );
  }
}

export class NotAMember extends DomainError {
  constructor(message = 'You are not a member of this account.') {
    super('not_a_member', message);
  }
}

/** A person with several accounts did not name the account that the request changes. */
export class AccountRequired extends DomainError {
  constructor() {
    super(
      'account_required',
      'You have several accounts, or had another one when you signed in: name the one of this change in the header X-Namewatch-Account.',
    );
  }
}

export class SessionNeedsTls extends DomainError {
  constructor() {
    super(
      'invalid_request',
      'Over plain HTTP nobody can stay signed in: everybody on the way could read the cookie. Use https.',
    );
  }
}

export class SessionsAreOfKeys extends DomainError {
  constructor() {
    super('invalid_request', 'Send the API key that the session shall act as in the header `Authorization`.');
  }
}

export class SessionNotFound extends DomainError {
  constructor(id: string) {
    super('not_found', `You have no session ${id}.`);
  }
}

export class AuthenticationUnavailable extends DomainError {
  constructor() {
    super('authentication_unavailable', 'The credential cannot be checked now.', { retry_after_seconds: 5 });
  }
}

export class InsufficientScope extends DomainError {
  constructor(scope: Scope) {
    super('insufficient_scope', `This needs the scope ${scope}.`, { scope });
  }
}

export class RateLimited extends DomainError {
  constructor(message: string, retryAfterSeconds: number) {
    super('rate_limited', message, { retry_after_seconds: retryAfterSeconds });
  }
}

export class TooManyKeys extends DomainError {
  constructor(limit: number) {
    super('plan_limit_reached', `An account may have ${limit} keys that work, on every plan: revoke one first.`, {
      limit,
    });
  }
}

export class MemberNotFound extends DomainError {
  constructor(id: string) {
    super('not_found', `The account has no member ${id}.`);
  }
}

export class LastAdmin extends DomainError {
  constructor() {
    super(
      'last_admin',
      'This is the last person who administers the account. Make another one an admin first; the operator can do it with "namewatch member".',
    );
  }
}

export class InvitationNotFound extends DomainError {
  constructor(id: string) {
    super('not_found', `The account has no open invitation ${id}.`);
  }
}

/**
 * The invitation cannot be accepted. The message does not tell whether it is unknown, used, ended or for another
 * address.
 */
export class InvitationUnusable extends DomainError {
  constructor() {
    super('link_expired', 'The invitation has ended, was used, or is for another address.');
  }
}

export class TooManyInvitations extends DomainError {
  constructor(limit: number) {
    super('plan_limit_reached', `An account may have ${limit} open invitations: revoke some first.`, { limit });
  }
}

/** Accounts other than the operator's get 404, as if the route did not exist. */
export class NotTheOperator extends DomainError {
  constructor() {
    super('not_found', 'Only the account of the people who run this service opens others.');
  }
}

export class UnknownScope extends DomainError {
  constructor(scope: string, known: readonly string[]) {
    super('invalid_request', `There is no scope ${scope}; the scopes are ${known.join(', ')}.`, { field: 'scopes' });
  }
}

export class AccountNotFound extends DomainError {
  constructor(id: string) {
    super('not_found', `There is no account ${id}.`);
  }
}

export class AccountBeingDeleted extends DomainError {
  constructor(id: string) {
    super('precondition_failed', `The deletion of ${id} has begun, and cannot be taken back.`);
  }
}

/** Refuses to delete the operator's account, without which nobody could open other accounts. */
export class OperatorAccountStays extends DomainError {
  constructor(id: string) {
    super('precondition_failed', `${id} is the account of the people who run this service, which cannot be deleted.`);
  }
}

export class KeyNotFound extends DomainError {
  constructor(id: string) {
    super('not_found', `There is no key ${id}.`);
  }
}

export class UnknownPlan extends DomainError {
  constructor(name: string, known: readonly string[]) {
    super('invalid_request', `There is no plan ${name}; the plans are ${known.join(', ')}.`, { field: 'plan' });
  }
}
