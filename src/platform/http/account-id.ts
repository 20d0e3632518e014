import type { FastifyRequest } from 'fastify';

interface KnownCaller {
  readonly account: { readonly id: string };
  readonly by: { readonly id?: string; readonly authenticator?: string; readonly subject?: string };
}

/** Authentication is another module's, so that the type of its caller is not known here. */
function getCaller(request: FastifyRequest): KnownCaller | null | undefined {
  return (request as { caller?: KnownCaller | null }).caller;
}

/** The id of the key of an authenticated request, or `<extension>:<subject>`. */
export function getCallerName(request: FastifyRequest): string | undefined {
  const by = getCaller(request)?.by;
  return by && (by.id ?? `${by.authenticator}:${by.subject}`);
}

/** The account of an authenticated request. */
export function getAccountId(request: FastifyRequest): string | undefined {
  return getCaller(request)?.account.id;
}
