import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Plan } from '../domain/plan.js';
import type { Role, Scope } from '../domain/scope.js';

/** The caller: an API key, a signed-in person, or an identity that an extension recognized. */
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
      /** The extension that recognized the caller. */
      readonly authenticator: string;
      readonly expiresAt: Date | null;
    };

export interface Caller {
  readonly account: { readonly id: string; readonly plan: Plan };
  readonly by: CallerIdentity;
  readonly scopes: readonly Scope[];
}

/** The holder of a session or another credential. The holder's account may be suspended or deleted. */
export interface SessionHolder {
  /** null if the person is in no account. */
  readonly account: Caller['account'] | null;
  readonly by: Holder;
}

/** The caller without a role. A person without an account has no role. */
export type Holder =
  Exclude<CallerIdentity, { kind: 'person' }> | Omit<Extract<CallerIdentity, { kind: 'person' }>, 'role'>;

/** Returns the caller's name for logs and `issued_by`: the id of the key or person, or `<extension>:<subject>`. */
export function nameCaller(by: Holder): string {
  return by.kind === 'identity' ? `${by.authenticator}:${by.subject}` : by.id;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by authentication on every route that is not public, except on routes about sessions. */
    caller: Caller | null;
    /** Set by authentication on routes about sessions. */
    holder: SessionHolder | null;
  }
}

/** Injects the caller's account into a parameter. */
export const CurrentAccount = createParamDecorator(
  (_: unknown, context: ExecutionContext): Caller['account'] => requireCaller(context).account,
);

/** Injects the caller into a parameter. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller =>
  requireCaller(context),
);

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
