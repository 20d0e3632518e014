import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { parseSetCookie, stringifyCookie } from 'cookie';
import { exportJWK, generateKeyPair } from 'jose';
import { type Configuration, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { Listening } from '../../world/listening.js';

const CLIENT_ID = 'namewatch';

export interface OidcServerOptions {
  /** Where Namewatch is, as in PUBLIC_URL. */
  readonly publicUrl: string;
  /** The groups of a person, by the name that signs in. */
  readonly groupsOf?: (login: string) => readonly string[];
}

/**
 * `oidc-provider` on loopback. A person who signs in as `alice`, with any password, has the address
 * `alice@example.test`; it is verified, unless the name begins with `unverified`.
 */
export class OidcServer {
  readonly issuer: string;
  private readonly secret = randomBytes(24).toString('hex');

  private constructor(
    private readonly server: Server,
    private readonly listening: Listening,
  ) {
    this.issuer = `http://${listening.host}`;
  }

  static async start(options: OidcServerOptions): Promise<OidcServer> {
    const server = createServer();
    const started = new OidcServer(server, await Listening.on(server));
    await started.serve(options);
    return started;
  }

  get settings(): Readonly<Record<string, string>> {
    return {
      OIDC_ISSUER: this.issuer,
      OIDC_CLIENT_ID: CLIENT_ID,
      OIDC_CLIENT_SECRET: this.secret,
      OIDC_GROUPS_CLAIM: 'groups',
    };
  }

  stop(): Promise<void> {
    return this.listening.close();
  }

  private async serve({ publicUrl, groupsOf = () => [] }: OidcServerOptions): Promise<void> {
    const base = publicUrl.replace(/\/+$/, '');
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const options: Configuration = {
      clients: [
        {
          client_id: CLIENT_ID,
          client_secret: this.secret,
          redirect_uris: [`${base}/sign-in/callback`],
          post_logout_redirect_uris: [`${base}/ui/`],
          id_token_signed_response_alg: 'ES256',
        },
      ],
      jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig' }] },
      cookies: { keys: [this.secret] },
      scopes: ['openid', 'profile', 'email', 'groups'],
      claims: { profile: ['name'], email: ['email', 'email_verified'], groups: ['groups'] },
      pkce: { required: () => true },
      findAccount: (_, login) => ({
        accountId: login,
        claims: () => ({
          sub: login,
          name: `${login} example`,
          email: `${login}@example.test`,
          email_verified: !login.startsWith('unverified'),
          groups: [...groupsOf(login)],
        }),
      }),
      features: { rpInitiatedLogout: { logoutSource: showSignOut } },
      ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
    };
    const provider = withoutWarnings(() => new Provider(this.issuer, options));
    const answer = provider.callback();
    this.server.on('request', (request, response) => void answer(request, response));
  }
}

/** The page that ends the session at the provider. */
function showSignOut(context: KoaContextWithOIDC, form: string): void {
  const button = '<button form="op.logoutForm" name="logout" value="yes">Yes, sign me out</button>';
  context.body = `<!doctype html><title>Sign out</title>${form}${button}`;
}

/** The library warns of what is for tests only. */
function withoutWarnings<Result>(work: () => Result): Result {
  const { info, warn } = console;
  console.info = console.warn = () => undefined;
  try {
    return work();
  } finally {
    Object.assign(console, { info, warn });
  }
}

/** A browser that signs in at the provider by its forms, and shows where it is sent back to. */
export class FormFiller {
  private readonly jar = new Map<string, string>();

  /** @returns the address of Namewatch that the provider leads back to, which is not opened */
  async signIn(authorization: string, login: string): Promise<URL> {
    const { origin } = new URL(authorization);
    let answer = await this.open(authorization);
    for (let steps = 0; steps < 20; steps += 1) {
      const location = answer.headers.get('location');
      if (location !== null) {
        const next = new URL(location, origin);
        if (next.origin !== origin) return next;
        answer = await this.open(next.href);
        continue;
      }
      const page = await answer.text();
      const action = /action="([^"]+)"/.exec(page)?.[1];
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
      if (action === undefined || prompt === undefined) throw new Error(`no form to fill in: ${answer.status} ${page}`);
      const form = new URLSearchParams({ prompt, login, password: 'any' });
      answer = await this.open(new URL(action, origin).href, form);
    }
    throw new Error('the provider leads in circles');
  }

  private async open(url: string, form?: URLSearchParams): Promise<Response> {
    const cookie = stringifyCookie(Object.fromEntries(this.jar));
    const method = form === undefined ? 'GET' : 'POST';
    const answer = await fetch(url, { method, body: form ?? null, headers: { cookie }, redirect: 'manual' });
    for (const sent of answer.headers.getSetCookie()) {
      const { name, value } = parseSetCookie(sent);
      if (value === undefined || value === '') this.jar.delete(name);
      else this.jar.set(name, value);
    }
    return answer;
  }
}
