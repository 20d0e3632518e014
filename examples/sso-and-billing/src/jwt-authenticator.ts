import { createRemoteJWKSet, decodeJwt, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { AccountAuthenticator, type Credential, type Identity, InvalidToken, type Scope } from 'namewatch';
import { Injectable } from 'namewatch/nest';
import { SsoSettings } from './settings.js';

/** The role of an employee says what the token may do; no claim makes an administrator. */
const SCOPES: Readonly<Record<string, readonly Scope[]>> = {
  viewer: ['domains:read', 'watchlist:read', 'notifications:read'],
  editor: ['domains:read', 'watchlist:read', 'watchlist:write', 'notifications:read', 'notifications:write'],
};
/** Never `none`, and no algorithm for which the public key would be a shared secret. */
const ALGORITHMS = ['ES256', 'RS256'];

/** Bearer tokens that our own issuer signed. The claims `account` and `role` say who calls, and what they may do. */
@Injectable()
export class JwtAuthenticator extends AccountAuthenticator {
  private readonly keys: JWTVerifyGetKey;

  constructor(private readonly settings: SsoSettings) {
    super();
    // An unknown key id is fetched at once, at most every second: keys rotate without a restart.
    this.keys = createRemoteJWKSet(settings.jwksUrl, { cooldownDuration: 1_000, timeoutDuration: 3_000 });
  }

  async identify({ scheme, token }: Credential): Promise<Identity | null> {
    if (scheme !== 'bearer' || !this.isOurs(token)) return null;
    return toIdentity(await this.verify(token));
  }

  /** By its issuer, which is believed only after the signature is verified. */
  private isOurs(token: string): boolean {
    try {
      return decodeJwt(token).iss === this.settings.issuer;
    } catch {
      return false;
    }
  }

  private async verify(token: string): Promise<JWTPayload> {
    const { issuer, audience } = this.settings;
    try {
      const options = { issuer, audience, algorithms: ALGORITHMS, requiredClaims: ['sub', 'exp', 'account'] };
      return (await jwtVerify(token, this.keys, options)).payload;
    } catch (error) {
      if (isAboutToken(error))
        throw new InvalidToken('The token is not valid: it is expired, or not for this service.');
      throw error; // the keys cannot be fetched: the service answers 503
    }
  }
}

function isAboutToken(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return false;
  return error instanceof errors.JOSEError && error.code !== 'ERR_JOSE_GENERIC';
}

function toIdentity({ sub = '', name, account, role, exp = 0 }: JWTPayload): Identity {
  return {
    accountId: String(account),
    subject: sub,
    name: typeof name === 'string' ? name : null,
    scopes: SCOPES[String(role)] ?? [],
    expiresAt: new Date(exp * 1_000),
  };
}
