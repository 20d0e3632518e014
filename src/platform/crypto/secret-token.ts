import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type IdPrefix, isId, newId } from '../../kernel/identifier.js';

/** A token has the form `<id>.<256 bits in base64url>`. Only the digest of its secret is stored. */
export interface SecretToken {
  readonly id: string;
  readonly secret: string;
}

const SECRET_BYTES = 32;
const SECRET = /^[\w-]{43}$/;
const NO_DIGEST = Buffer.alloc(32).toString('hex');

export function newSecretToken(prefix: IdPrefix): SecretToken {
  return { id: newId(prefix), secret: randomBytes(SECRET_BYTES).toString('base64url') };
}

export function formatSecretToken({ id, secret }: SecretToken): string {
  return `${id}.${secret}`;
}

/** Returns null if the text does not have the form of a token. */
export function parseSecretToken(prefix: IdPrefix, text: string): SecretToken | null {
  const [id = '', secret = '', ...rest] = text.split('.');
  return isId(prefix, id) && SECRET.test(secret) && rest.length === 0 ? { id, secret } : null;
}

export function digestSecretToken({ secret }: SecretToken): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Checks a token against the stored digest. Compares even without a stored digest, so timing reveals nothing. */
export function verifySecretToken<Stored extends { readonly digest: string }>(
  stored: Stored | null,
  token: SecretToken,
): stored is Stored {
  const [expected, presented] = [stored?.digest ?? NO_DIGEST, digestSecretToken(token)];
  return timingSafeEqual(Buffer.from(expected, 'hex'), Buffer.from(presented, 'hex')) && stored !== null;
}
