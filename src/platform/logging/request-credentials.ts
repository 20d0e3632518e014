import type { IncomingHttpHeaders } from 'node:http';
import { currentRequest } from '../concurrency/request-context.js';

/** Matches API keys, tokens of sessions and links, and secrets of calendars, client pages and webhooks. */
export const SECRETS =
  /nw(cal|page)_[\w-]*|[0-9a-f]{8}(\.|%2e)[\w-]{38,}|(ses|inv)_[0-9a-z]{26}(\.|%2e)[\w-]*|nw_[0-9a-z]{26}\w*|whsec_[\w+/=%-]*/gi;

const REDACTED = '[redacted]';
const CREDENTIAL_HEADER = /auth|cookie|token|secret|key|session|signature|credential/;
/** Shorter parts of headers are logged, because they are words such as `Bearer`, and no secrets. */
const MIN_PART_LENGTH = 8;
/** Shorter tokens stay in the log, because their characters also occur inside ordinary words. */
const MIN_TOKEN_LENGTH = 4;

const known = new WeakMap<IncomingHttpHeaders, readonly string[]>();

/** Removes secrets of this service, and the credentials in the headers of the current request. */
export function redactCredentials(text: string): string {
  const headers = currentRequest()?.headers;
  const own = headers === undefined ? text : secretsOf(headers).reduce(replace, text);
  return own.replace(SECRETS, REDACTED);
}

function replace(text: string, secret: string): string {
  return text.includes(secret) ? text.replaceAll(secret, REDACTED) : text;
}

function secretsOf(headers: IncomingHttpHeaders): readonly string[] {
  const found = known.get(headers);
  if (found) return found;
  const values = Object.entries(headers)
    .filter(([name]) => CREDENTIAL_HEADER.test(name))
    .flatMap(([, value]) => [value ?? []].flat());
  const parts = values.flatMap((value) => value.split(/[\s,;="]+/)).filter(({ length }) => length >= MIN_PART_LENGTH);
  const secrets = [...values, ...parts, ...tokensOf(headers.authorization ?? '')].filter(
    ({ length }) => length >= MIN_TOKEN_LENGTH,
  );
  const spelled = new Set(secrets.flatMap((one) => [one, encodeURIComponent(one), JSON.stringify(one).slice(1, -1)]));
  const longestFirst = [...spelled].sort((one, other) => other.length - one.length);
  known.set(headers, longestFirst);
  return longestFirst;
}

/**
 * Returns the token of an `Authorization` header, without the scheme. For `Basic`, also returns the decoded
 * `user:password`, and the password.
 */
function tokensOf(authorization: string): string[] {
  const [scheme = '', ...rest] = authorization.trim().split(/\s+/);
  const token = rest.join(' ');
  if (scheme.toLowerCase() !== 'basic') return [token];
  const pair = Buffer.from(token, 'base64').toString();
  return [token, pair, pair.slice(pair.indexOf(':') + 1)];
}

const MAX_CAUSES = 5;

/** Copies only an error's standard fields, because some HTTP clients store request headers in their errors. */
export function redactedError(error: unknown, redact: (text: string) => string, causes = MAX_CAUSES): unknown {
  if (!(error instanceof Error)) return redact(String(error));
  const copy = new Error(redact(error.message));
  copy.name = error.name;
  copy.stack = redact(error.stack ?? '');
  if (error.cause !== undefined && causes > 0) copy.cause = redactedError(error.cause, redact, causes - 1);
  return copy;
}
