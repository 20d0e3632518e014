import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Caller } from './caller.js';

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
