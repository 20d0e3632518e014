import { createHash, type webcrypto } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from 'jose';
import { Listening } from './listening.js';
import type { OpenIdSettings } from '../../src/config/sign-in-settings.js';

export const CALLBACK = 'https://names.example/sign-in/callback';

/** The provider's claims at one sign-in; each field is a lie that a test tells. */
export interface Testimony {
  /** Replaces claims of the identity token; undefined leaves one out. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly userInfo?: Readonly<Record<string, unknown>>;
  readonly header?: Partial<JWTHeaderParameters>;
  /** Signs with a key that the provider does not publish. */
  readonly isForged?: boolean;
  /** Replaces the finished token. */
  readonly token?: string;
  /** Replaces parameters of the address that the browser comes back to; undefined leaves one out. */
  readonly query?: Readonly<Record<string, string | undefined>>;
}

interface Grant extends Testimony {
  readonly nonce: string;
  readonly challenge: string;
}

type Handler = (response: ServerResponse, request: IncomingMessage) => unknown;

const CLIENT_ID = 'namewatch';
const seconds = () => Math.floor(Date.now() / 1_000);

/** An OpenID Connect provider on loopback that is right, except for what a test makes it do. */
export class HostileProvider {
  /** Answers of a path instead of its own. */
  readonly answers = new Map<string, Handler>();
  /** Laid over what it publishes about itself. */
  metadata: Readonly<Record<string, unknown>> = {};
  /** The paths that were asked for. */
  readonly requests: string[] = [];
  private readonly grants = new Map<string, Grant>();
  private keys: { readonly secret: webcrypto.CryptoKey; readonly published: JWK }[] = [];

  private constructor(private readonly listening: Listening) {}

  static async start(port = 0): Promise<HostileProvider> {
    const server = createServer();
    const provider = new HostileProvider(await Listening.on(server, port));
    await provider.rotateKeys();
    server.on('request', (request, response) => void provider.answer(request, response));
    return provider;
  }

  get issuer(): string {
    return `http://${this.listening.host}`;
  }

  get settings(): OpenIdSettings {
    const { issuer } = this;
    return { issuer, clientId: CLIENT_ID, clientSecret: 'hush', groupsClaim: 'groups' };
  }

  /** Replaces the keys: nobody has signed earlier tokens now. */
  async rotateKeys(): Promise<void> {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const published = { ...(await exportJWK(publicKey)), alg: 'ES256', use: 'sig', kid: `key ${this.keys.length + 1}` };
    this.keys = [...this.keys, { secret: privateKey, published }];
  }

  /** A person agrees. @returns the query that the browser comes back with */
  authorize(url: URL, testimony: Testimony = {}): string {
    const asked = url.searchParams;
    const code = `code-${this.grants.size + 1}`;
    const challenge = asked.get('code_challenge') ?? '';
    this.grants.set(code, { nonce: asked.get('nonce') ?? '', challenge, ...testimony });
    const query = { code, state: asked.get('state') ?? '', iss: this.issuer, ...testimony.query };
    const sent = Object.entries(query).filter((one): one is [string, string] => one[1] !== undefined);
    return String(new URLSearchParams(sent));
  }

  close(): Promise<void> {
    return this.listening.close();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', this.issuer).pathname;
    this.requests.push(path);
    const other = this.answers.get(path);
    if (other) return void other(response, request);
    if (path === '/.well-known/openid-configuration') sendJson(response, this.configuration());
    else if (path === '/keys') sendJson(response, { keys: this.keys.slice(-1).map(({ published }) => published) });
    else if (path === '/userinfo') sendJson(response, this.userInfo(request));
    else if (path === '/token') await this.redeem(request, response);
    else response.writeHead(404).end();
  }

  private configuration(): object {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      userinfo_endpoint: `${this.issuer}/userinfo`,
      end_session_endpoint: `${this.issuer}/bye`,
      jwks_uri: `${this.issuer}/keys`,
      id_token_signing_alg_values_supported: ['ES256'],
      authorization_response_iss_parameter_supported: true,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      ...this.metadata,
    };
  }

  private userInfo({ headers }: IncomingMessage): object {
    const grant = this.grants.get(headers.authorization?.replace('Bearer access to ', '') ?? '');
    return { sub: grant?.claims?.['sub'] ?? 'alice', ...grant?.userInfo };
  }

  /** Codes are good for any number of times: that it is used once is for a real provider to see to. */
  private async redeem(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = new URLSearchParams(await text(request));
    const code = sent.get('code') ?? '';
    const grant = this.grants.get(code);
    const verifier = createHash('sha256')
      .update(sent.get('code_verifier') ?? '')
      .digest('base64url');
    const isRight = sent.get('redirect_uri') === CALLBACK && verifier === grant?.challenge;
    if (!grant || !isRight) return sendJson(response, { error: 'invalid_grant' }, 400);
    const id_token = grant.token ?? (await this.sign(grant));
    sendJson(response, { access_token: `access to ${code}`, token_type: 'bearer', id_token });
  }

  private async sign({ nonce, claims, header, isForged }: Grant): Promise<string> {
    const now = seconds();
    const times = { iat: now, exp: now + 300 };
    const all = { iss: this.issuer, aud: CLIENT_ID, sub: 'alice', nonce, name: 'Alice', ...times, ...claims };
    const key = this.keys.at(-1);
    if (!key) throw new Error('there is no key');
    const signer = isForged ? (await generateKeyPair('ES256')).privateKey : key.secret;
    return new SignJWT(JSON.parse(JSON.stringify(all)) as Record<string, unknown>)
      .setProtectedHeader({ alg: 'ES256', kid: String(key.published.kid), ...header })
      .sign(signer);
  }
}

export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
