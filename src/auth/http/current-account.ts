import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../application/authenticator.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by authentication on every route that is not public. */
    caller: Caller | null;
  }
}

/** The account of the request's key. */
export const CurrentAccount = createParamDecorator((_: unknown, context: ExecutionContext): Caller['account'] => {
  const { caller } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!caller) throw new Error('a route without authentication asked for the account');
  return caller.account;
});
