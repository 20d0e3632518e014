import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';

const ISSUER = 'https://sso.example.test';
const AUDIENCE = 'namewatch';

/** An issuer on loopback, with keys that rotate. */
export class Issuer {
  isAway = false;
  private published: JWK[] = [];
  private signing: CryptoKey | null = null;
  private keyId = '';

  private constructor(private readonly server = createServer()) {
    server.on('request', (_, response) => {
      response.writeHead(this.isAway ? 500 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ keys: this.published }));
    });
  }

  static async start(): Promise<Issuer> {
    const issuer = new Issuer();
    await new Promise<void>((resolve) => issuer.server.listen(0, '127.0.0.1', resolve));
    await issuer.rotate();
    return issuer;
  }

  get settings() {
    const { port } = this.server.address() as AddressInfo;
    return {
      SSO_AND_BILLING_ISSUER: ISSUER,
      SSO_AND_BILLING_AUDIENCE: AUDIENCE,
      SSO_AND_BILLING_JWKS_URL: `http://127.0.0.1:${port}/jwks`,
    };
  }

  /** From now on another key signs, and the old one is no longer published. */
  async rotate(): Promise<void> {
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    this.keyId = `key-${Math.random()}`;
    this.signing = privateKey;
    this.published = [{ ...(await exportJWK(publicKey)), kid: this.keyId, alg: 'ES256' }];
  }

  sign(claims: JWTPayload): Promise<string> {
    if (!this.signing) throw new Error('the issuer has no key yet');
    return new SignJWT({ ...standardClaims(), ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: this.keyId })
      .sign(this.signing);
  }

  /** Signed by another key, under the id of the issuer's own. */
  async forge(claims: JWTPayload): Promise<string> {
    const { privateKey } = await generateKeyPair('ES256');
    return new SignJWT({ ...standardClaims(), ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: this.keyId })
      .sign(privateKey);
  }

  unsigned(claims: JWTPayload): string {
    return new UnsecuredJWT({ ...standardClaims(), ...claims }).encode();
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

function standardClaims(): JWTPayload {
  const now = Math.floor(Date.now() / 1_000);
  return { iss: ISSUER, aud: AUDIENCE, sub: 'alice', iat: now, exp: now + 600 };
}
