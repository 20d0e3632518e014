import { describe, expect, it } from '@jest/globals';
import Fastify from 'fastify';
import type { AuthFailureLimiter } from '../../../src/auth/authentication/auth-failure-limiter.js';
import type { MinuteLimits } from '../../../src/auth/authentication/minute-limits.js';
import type { RefusedAuthentications } from '../../../src/auth/authentication/refused-authentications.js';
import type { Authenticator } from '../../../src/auth/authentication/authenticator.js';
import { ScopeCatalogue } from '../../../src/auth/domain/scope.js';
import { SessionCookie } from '../../../src/auth/sessions/session-cookie.js';
import type { SessionAuthenticator } from '../../../src/auth/authentication/session-authenticator.js';
import { RequestAuthentication } from '../../../src/auth/authentication/authentication.js';

const everybody = {
  account: { id: 'acc_1', plan: { limits: { requests_per_minute: 0 } } },
  by: { kind: 'key', id: 'key_1' },
  scopes: ['admin'],
};
const authenticator = { authenticate: () => Promise.resolve(everybody) } as unknown as Authenticator;

async function answerTo(config: object): Promise<number> {
  const fastify = Fastify();
  const cookie = new SessionCookie({ publicUrl: null, basePath: '', openId: null, groupRoles: [] });
  const failures = { lockedOutSeconds: () => 0 } as unknown as AuthFailureLimiter;
  const unused = [{} as SessionAuthenticator, {} as MinuteLimits, failures, {} as RefusedAuthentications] as const;
  new RequestAuthentication(authenticator, new ScopeCatalogue(), cookie, ...unused).install(fastify);
  fastify.get('/', { config }, () => 'done');
  const { statusCode } = await fastify.inject('/');
  await fastify.close();
  return statusCode;
}

describe('a route', () => {
  it.each([
    ['has no access rules', {}],
    ['names a scope that there is not', { scope: 'everything' }],
    ['only accepts an upload', { upload: { mediaTypes: [], maxBytes: 1 } }],
  ])('answers 500, even to an admin key, if it %s', async (_, config) => {
    expect(await answerTo(config)).toBe(500);
  });

  it.each([
    ['names its scope', { scope: 'watchlist:read' }],
    ['accepts any key', { anyScope: true }],
  ])('answers 200 if it %s', async (_, config) => expect(await answerTo(config)).toBe(200));
});
