import { AuthenticationRequired, InvalidToken } from './auth.errors.js';

const EXPECTED_HEADER = 'send the header "Authorization: Bearer <API key>"';

/**
 * The credential of an Authorization header (RFC 6750, section 2.1). Errors explain the mistake without repeating the
 * credential.
 * @throws AuthenticationRequired, InvalidToken
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
