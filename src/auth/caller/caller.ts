import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Plan } from '../domain/plan.js';
import type { Role } from '../domain/role.js';
import type { Scope } from '../domain/scope.js';

/** Says by what the caller of a request is known. */
export type CallerIdentity =
  | { readonly kind: 'key'; readonly id: string }
  | {
      readonly kind: 'person';
      /** `per_…` */
      readonly id: string;
      readonly name: string | null;
      readonly email: string | null;
      readonly role: Role;
    }
  | {
      readonly kind: 'identity';
      readonly subject: string;
      readonly name: string | null;
      /** The extension that vouches for it. */
      readonly authenticator: string;
      readonly expiresAt: Date | null;
    };

export interface Caller {
  readonly account: { readonly id: string; readonly plan: Plan };
  readonly by: CallerIdentity;
  readonly scopes: readonly Scope[];
}

/** The holder of a session, or of another credential, whatever became of the account. */
export interface SessionHolder {
  /** Null: the person is a member of none. */
  readonly account: Caller['account'] | null;
  readonly by: Holder;
}

/** A person has a role in an account only. */
export type Holder =
  Exclude<CallerIdentity, { kind: 'person' }> | Omit<Extract<CallerIdentity, { kind: 'person' }>, 'role'>;

/** Returns what logs and `issued_by` say: the id of the key or person, or `<extension>:<subject>`. */
export function nameCaller(by: Holder): string {
  return by.kind === 'identity' ? `${by.authenticator}:${by.subject}` : by.id;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by authentication on every route that is not public, but for those about a session alone. */
    caller: Caller | null;
    /** Set by authentication on the routes about a session alone. */
    holder: SessionHolder | null;
  }
}

/** The account of the caller. */
export const CurrentAccount = createParamDecorator(
  (_: unknown, context: ExecutionContext): Caller['account'] => requireCaller(context).account,
);

/** The caller: its account, by what it is known, and its scopes. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller =>
  requireCaller(context),
);

/** The holder of the session, or of the other credential, that the request was made with. */
export const CurrentHolder = createParamDecorator((_: unknown, context: ExecutionContext): SessionHolder => {
  const { holder } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!holder) throw new Error('a route that is not about a session asked for its holder');
  return holder;
});

function requireCaller(context: ExecutionContext): Caller {
  const { caller } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!caller) throw new Error('a route without authentication asked for the caller');
  return caller;
}
