import type { Scope } from './scope.js';
import { AuthenticationRequired, InvalidToken } from './auth.errors.js';

/** Matches API keys, even in quotes or after a doubled `Bearer`, since extensions must never see an API key. */
const API_KEY = /^\W*(?:bearer\W+)*nw_/i;
const HEADER = /^([A-Za-z][\w-]{0,39})\s+(.+)$/;
// oxlint-disable-next-line no-control-regex -- the pattern refuses control characters
const SHOWN_TEXT = /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff]{1,200}$/u;

/** The caller of a request, as an authenticator recognized it. */
export interface Identity {
  /** `acc_…`. If the account does not exist or is suspended, the request is refused with 401. */
  readonly accountId: string;
  /** Names the caller in logs and `GET /v1/me`: 1 to 200 characters without control characters. */
  readonly subject: string;
  /** The person's name for the audit trail and `GET /v1/me`. Ignored if it breaks the rules of `subject`. */
  readonly name?: string | null;
  /** Unknown scopes are ignored; `admin` includes all others. */
  readonly scopes: readonly Scope[];
  /** The credential is refused from this time on; null if it does not expire. */
  readonly expiresAt: Date | null;
}

/** The content of the header `Authorization`. */
export interface Credential {
  /** In lower case, such as `bearer`. */
  readonly scheme: string;
  readonly token: string;
}

/** Returns null for an API key, even if malformed, and if the scheme or token is missing or malformed. */
export function parseForeignCredential(authorization: string | undefined): Credential | null {
  if (authorization === undefined || API_KEY.test(authorization)) return null;
  const [, scheme = '', token = ''] = HEADER.exec(authorization.trim()) ?? [];
  if (token === '' || API_KEY.test(token)) return null;
  const isBearer = scheme.toLowerCase() === 'bearer';
  return isBearer && /\s/.test(token) ? null : { scheme: scheme.toLowerCase(), token };
}

/** Removes the token from an error message, because the message of an authenticator may repeat the token. */
export function withoutToken(text: string, { token }: Credential): string {
  return [token, encodeURIComponent(token)].reduce((rest, one) => rest.replaceAll(one, '[redacted]'), text);
}

/** Checks and copies an authenticator's answer. @throws Error that names the problem */
export function parseIdentity(answer: unknown): Identity {
  const { accountId, subject, name, scopes, expiresAt } = (answer ?? {}) as Partial<Identity>;
  if (typeof accountId !== 'string') throw new Error('its identity has no accountId');
  if (typeof subject !== 'string' || !SHOWN_TEXT.test(subject)) throw new Error('its identity has no usable subject');
  if (!Array.isArray(scopes)) throw new Error('its identity has no list of scopes');
  if (expiresAt !== null && !(expiresAt instanceof Date && !Number.isNaN(expiresAt.getTime())))
    throw new Error('the expiresAt of its identity is neither a date nor null');
  return {
    accountId,
    subject,
    name: typeof name === 'string' && SHOWN_TEXT.test(name) ? name : null,
    scopes: [...(scopes as readonly Scope[])],
    expiresAt: expiresAt && new Date(expiresAt),
  };
}

const EXPECTED_HEADER = 'send the header "Authorization: Bearer <API key>"';

/**
 * Parses an Authorization header (RFC 6750, section 2.1). Errors never repeat the credential.
 * @throws AuthenticationRequired if there is no Bearer credential
 * @throws InvalidToken if the credential is malformed
 */
export function parseBearerCredential(authorization: string | undefined): string {
  const [scheme = '', credential, ...rest] = authorization?.trim().split(/\s+/) ?? [];
  if (scheme === '') throw new AuthenticationRequired();
  if (/^["'<]?nw_/.test(scheme))
    throw new AuthenticationRequired(`The word Bearer is missing before the key: ${EXPECTED_HEADER}.`);
  if (scheme.toLowerCase() !== 'bearer')
    throw new AuthenticationRequired(`The Authorization header has another scheme than Bearer: ${EXPECTED_HEADER}.`);
  if (credential === undefined)
    throw new AuthenticationRequired(`The word Bearer has no key behind it: ${EXPECTED_HEADER}.`);
  if (/^["']?bearer:?$/i.test(credential))
    throw new InvalidToken(
      'The credential begins with the word Bearer twice: give the key alone, "Bearer" is added to it.',
    );
  if (rest.length > 0)
    throw new InvalidToken(`The credential is more than one word: ${EXPECTED_HEADER}, with nothing behind it.`);
  return credential;
}
