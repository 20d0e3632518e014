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

/** Returns what logs and `issued_by` say: the id of the key or person, or `<extension>:<subject>`. */
export function nameCaller(by: CallerIdentity): string {
  return by.kind === 'identity' ? `${by.authenticator}:${by.subject}` : by.id;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by authentication on every route that is not public. */
    caller: Caller | null;
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

function requireCaller(context: ExecutionContext): Caller {
  const { caller } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!caller) throw new Error('a route without authentication asked for the caller');
  return caller;
}
