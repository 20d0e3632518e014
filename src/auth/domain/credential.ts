import type { Scope } from './scope.js';

/** Also in quotes, or behind the word Bearer twice: no extension sees a key that was sent in a wrong form. */
const API_KEY = /^\W*(?:bearer\W+)*nw_/i;
const HEADER = /^([A-Za-z][\w-]{0,39})\s+(.+)$/;
// eslint-disable-next-line no-control-regex -- they are what is refused
const SUBJECT = /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff]{1,200}$/u;

/** Who an authenticator says that the caller is. */
interface ClaimedIdentity {
  readonly accountId: string;
  readonly subject: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
}

/** null for what is an API key, or was meant as one, and for a header that names no scheme and token. */
export function parseForeignCredential(authorization: string | undefined): { scheme: string; token: string } | null {
  if (authorization === undefined || API_KEY.test(authorization)) return null;
  const [, scheme = '', token = ''] = HEADER.exec(authorization.trim()) ?? [];
  if (token === '' || API_KEY.test(token)) return null;
  const isBearer = scheme.toLowerCase() === 'bearer';
  return isBearer && /\s/.test(token) ? null : { scheme: scheme.toLowerCase(), token };
}

/** Whatever an authenticator says when it fails: its caller is still signed in with this. */
export function withoutToken(text: string, { token }: { readonly token: string }): string {
  return [token, encodeURIComponent(token)].reduce((rest, one) => rest.replaceAll(one, '[redacted]'), text);
}

/** A copy that nothing changes later. @throws Error naming what is wrong with it */
export function parseIdentity(answer: unknown): ClaimedIdentity {
  const { accountId, subject, scopes, expiresAt } = (answer ?? {}) as Partial<ClaimedIdentity>;
  if (typeof accountId !== 'string') throw new Error('its identity has no accountId');
  if (typeof subject !== 'string' || !SUBJECT.test(subject)) throw new Error('its identity has no usable subject');
  if (!Array.isArray(scopes)) throw new Error('its identity has no list of scopes');
  if (expiresAt !== null && !(expiresAt instanceof Date && !Number.isNaN(expiresAt.getTime())))
    throw new Error('the expiresAt of its identity is neither a date nor null');
  return { accountId, subject, scopes: [...(scopes as readonly Scope[])], expiresAt: expiresAt && new Date(expiresAt) };
}
