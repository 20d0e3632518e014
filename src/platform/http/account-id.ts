import type { FastifyRequest } from 'fastify';

/** The account of an authenticated request. Authentication is another module's, so its type is not known here. */
export function getAccountId(request: FastifyRequest): string | undefined {
  return (request as { caller?: { account: { id: string } } | null }).caller?.account.id;
}
