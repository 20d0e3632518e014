import { LRUCache } from 'lru-cache';
import type { ClientError, Configuration, IDToken, ServerMetadata } from 'openid-client';
import type { OpenIdSettings } from '../../config/sign-in-settings.js';
import { type Clock, SECOND } from '../../kernel/clock.js';
import { OutageLog } from '../../platform/logging/outage-log.js';
import { type ProvenPerson, toProvenPerson, UnusableClaims } from '../domain/proven-person.js';
import { isSecureOrLocal } from '../../kernel/localhost.js';
import { toPrintableLine } from '../../kernel/printable-line.js';
import { boundedFetch } from './bounded-fetch.js';

/** The secrets of a sign-in. Only the browser that began it keeps them. */
export interface SignInSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The provider gives no usable answer, so nobody can sign in for now. */
export class ProviderUnavailable extends Error {}

/** The person, or an administrator of the provider, refused the sign-in. */
export class SignInDeclined extends Error {}

/** The provider's answer does not prove who signs in. */
export class SignInUnproven extends Error {}

/** The requested scopes. Without the scope `openid`, a provider does not say who signs in. */
const SCOPES = ['openid', 'profile', 'email'];
/** The allowed difference between the provider's clock and ours. */
const CLOCK_TOLERANCE_SECONDS = 60;
/** Short, because the browser waits for several requests in one sign-in. */
const REQUEST_TIMEOUT_MS = 5 * SECOND;
/** How long the provider's metadata is cached. A failure to read it is cached for RETRY_MS. */
const FRESH_MS = 5 * SECOND;
const RETRY_MS = SECOND;

type Discovery = { readonly metadata: ServerMetadata } | { readonly metadata: null; readonly problem: string };

/** Caches the provider's metadata for five seconds and never its keys, so a change at the provider needs no restart. */
export class IdentityProvider {
  private readonly outage: OutageLog;
  private readonly discoveries = new LRUCache<string, Discovery>({
    max: 1,
    ttl: FRESH_MS,
    fetchMethod: async (_issuer, _stale, { options }) => {
      const discovery = await this.readMetadata();
      if (discovery.metadata === null) options.ttl = RETRY_MS;
      return discovery;
    },
  });

  /** Addresses of this service, exactly as they are registered at the provider. */
  private readonly addresses: { readonly callback: string; readonly afterSignOut: string };

  constructor(
    private readonly settings: OpenIdSettings,
    publicUrl: string,
    private readonly clock: Clock,
    private readonly timeoutMs = REQUEST_TIMEOUT_MS,
  ) {
    const base = publicUrl.replace(/\/+$/, '');
    this.addresses = { callback: `${base}/sign-in/callback`, afterSignOut: `${base}/ui/` };
    this.outage = OutageLog.forDependency(`The sign-in at ${this.host}`);
  }

  get host(): string {
    return new URL(this.settings.issuer).host;
  }

  /** Whether the provider answers. Never rejects. */
  async isAvailable(): Promise<boolean> {
    return (await this.discover()).metadata !== null;
  }

  /** @throws ProviderUnavailable */
  async metadata(): Promise<ServerMetadata> {
    const discovery = await this.discover();
    if (discovery.metadata === null) throw new ProviderUnavailable(`${this.host}: ${discovery.problem}`);
    return discovery.metadata;
  }

  /**
   * @returns the provider's page to open, and the secrets that the browser keeps meanwhile
   * @throws ProviderUnavailable
   */
  async begin(): Promise<{ url: URL; secrets: SignInSecrets }> {
    const client = await import('openid-client');
    const configuration = await this.configure();
    const secrets = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
    };
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: this.addresses.callback,
      scope: this.scopesFor(configuration.serverMetadata()).join(' '),
      state: secrets.state,
      nonce: secrets.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(secrets.verifier),
      code_challenge_method: 'S256',
    });
    return { url, secrets };
  }

  /**
   * @param query the query of the URL to which the provider sent the browser back
   * @throws SignInDeclined, SignInUnproven, ProviderUnavailable
   */
  async complete(query: string, { state, nonce, verifier }: SignInSecrets): Promise<ProvenPerson> {
    const client = await import('openid-client');
    const configuration = await this.configure();
    const callback = new URL(`${this.addresses.callback}?${query}`);
    try {
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
      const tokens = await client.authorizationCodeGrant(configuration, callback, checks);
      const token = tokens.claims();
      if (token === undefined) throw new UnusableClaims('there is no identity token');
      this.requirePast(token);
      const userInfo = this.saysAll(token, configuration)
        ? {}
        : await client.fetchUserInfo(configuration, tokens.access_token, token.sub);
      return toProvenPerson(token.iss, token, userInfo, this.settings.groupsClaim);
    } catch (error) {
      throw toSignInError(error, this.host);
    }
  }

  /** Returns the provider's sign-out page. Returns null if the provider has none or does not answer. */
  async signOutUrl(): Promise<string | null> {
    const { metadata } = await this.discover();
    if (!metadata || !isUsable(metadata.end_session_endpoint)) return null;
    const client = await import('openid-client');
    const { afterSignOut } = this.addresses;
    const configuration = await this.configure();
    return client.buildEndSessionUrl(configuration, { post_logout_redirect_uri: afterSignOut }).href;
  }

  /**
   * Checks the provider for the command `doctor`.
   * @returns a line for its report
   * @throws Error that says what is wrong
   */
  async check(): Promise<string> {
    const { jwks_uri = '', scopes_supported } = await this.metadata();
    const answer = await boundedFetch(jwks_uri, {
      method: 'GET',
      headers: {},
      body: null,
      redirect: 'manual',
      signal: AbortSignal.timeout(this.timeoutMs),
    });
    const { keys } = (answer.ok ? await answer.json() : {}) as { readonly keys?: unknown };
    if (!Array.isArray(keys) || keys.length === 0) throw new Error(`${jwks_uri} has no keys (${answer.status})`);
    const unknown = SCOPES.filter((scope) => scopes_supported?.includes(scope) === false);
    const warning = unknown.length === 0 ? '' : `; warning: it does not list the scope ${unknown.join(', ')}`;
    const { callback, afterSignOut } = this.addresses;
    return `${this.host} answers, keys: ${keys.length}; register there ${callback}, and for after the sign-out ${afterSignOut}${warning}`;
  }

  /** Some providers send groups only if a scope named like the groups' claim is requested. */
  private scopesFor({ scopes_supported = [] }: ServerMetadata): readonly string[] {
    const { groupsClaim } = this.settings;
    return groupsClaim !== null && scopes_supported.includes(groupsClaim) ? [...SCOPES, groupsClaim] : SCOPES;
  }

  /**
   * Makes the client library's configuration anew each time. An old configuration would keep keys that the provider has
   * replaced.
   */
  private async configure(): Promise<Configuration> {
    const client = await import('openid-client');
    const metadata = await this.metadata();
    const { clientId, clientSecret } = this.settings;
    const about = { client_secret: clientSecret, [client.clockTolerance]: CLOCK_TOLERANCE_SECONDS };
    const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const authentication = methods.includes('client_secret_basic') ? client.ClientSecretBasic : client.ClientSecretPost;
    const configuration = new client.Configuration(metadata, clientId, about, authentication(clientSecret));
    configuration[client.customFetch] = boundedFetch;
    configuration.timeout = this.timeoutMs / SECOND;
    client.enableNonRepudiationChecks(configuration); // also checks signatures, which are optional over TLS
    if (metadata.issuer.startsWith('http:')) client.allowInsecureRequests(configuration);
    return configuration;
  }

  /**
   * Refuses a token that was issued later than now by our clock, because it would be valid for too long. The client
   * library does not check this.
   */
  private requirePast({ iat }: IDToken): void {
    if (iat > this.clock.now().getTime() / SECOND + CLOCK_TOLERANCE_SECONDS)
      throw new UnusableClaims('the identity token is from the future');
  }

  /** Whether the token has all wanted fields, or is the only source because the provider has no `userinfo`. */
  private saysAll(token: IDToken, configuration: Configuration): boolean {
    if (configuration.serverMetadata().userinfo_endpoint === undefined) return true;
    const { groupsClaim } = this.settings;
    const wanted = ['name', 'email', ...(groupsClaim === null ? [] : [groupsClaim])];
    return wanted.every((claim) => token[claim] !== undefined);
  }

  private discover(): Promise<Discovery> {
    return this.discoveries.forceFetch(this.settings.issuer);
  }

  private async readMetadata(): Promise<Discovery> {
    try {
      const metadata = await this.requestMetadata();
      this.outage.reportUp();
      return { metadata };
    } catch (error) {
      const problem = explain(error);
      this.outage.reportDown(problem);
      return { metadata: null, problem };
    }
  }

  private async requestMetadata(): Promise<ServerMetadata> {
    const client = await import('openid-client');
    const { issuer, clientId } = this.settings;
    const isLocal = issuer.startsWith('http:');
    const wellKnown = new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    const configuration = await client.discovery(wellKnown, clientId, undefined, undefined, {
      [client.customFetch]: boundedFetch,
      timeout: this.timeoutMs / SECOND,
      execute: isLocal ? [client.allowInsecureRequests] : [],
    });
    const metadata = configuration.serverMetadata();
    const { jwks_uri, token_endpoint, authorization_endpoint } = metadata;
    // Also refuses the metadata that Entra publishes for all tenants, with which any tenant could vouch for anybody.
    if (metadata.issuer !== issuer) throw new Error(`its issuer is ${metadata.issuer}: that has to be OIDC_ISSUER`);
    for (const [name, url] of Object.entries({ authorization_endpoint, token_endpoint, jwks_uri }))
      if (!isUsable(url)) throw new Error(`its metadata has no https address as ${name}`);
    return metadata;
  }
}

function isUsable(url: unknown): boolean {
  return typeof url === 'string' && URL.canParse(url) && isSecureOrLocal(new URL(url));
}

/** Error codes of the client library for a missing or unusable answer: a timeout, a wrong status, or no JSON. */
const NO_ANSWER = new Set([
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
]);
/** Error codes with which a provider says that it does not work at present (RFC 6749, section 4.1.2.1). */
const OUT_OF_ORDER = new Set(['server_error', 'temporarily_unavailable']);

function toSignInError(cause: unknown, host: string): Error {
  const { name, code, error } = cause as { name?: string; code?: string; error?: string };
  const message = `${host}: ${explain(cause)}`;
  if (name === 'AuthorizationResponseError')
    return OUT_OF_ORDER.has(error ?? '')
      ? new ProviderUnavailable(message, { cause })
      : new SignInDeclined(message, { cause });
  if (name === 'WWWAuthenticateChallengeError' || error === 'invalid_client')
    return new ProviderUnavailable(`${host} refuses OIDC_CLIENT_ID and OIDC_CLIENT_SECRET`, { cause });
  // Errors of `fetch` have no code: the provider gave no answer. UnusableClaims has no code, but is about an answer.
  const isNoAnswer = code === undefined ? !(cause instanceof UnusableClaims) : NO_ANSWER.has(code);
  return isNoAnswer ? new ProviderUnavailable(message, { cause }) : new SignInUnproven(message, { cause });
}

/** Joins the messages of an error and its causes. The error says what failed, and its last cause says why. */
function explain(error: unknown): string {
  const messages: string[] = [];
  for (let one = error; one instanceof Error && messages.length < 4; one = (one as Partial<ClientError>).cause)
    if (one.message !== '' && !messages.includes(one.message)) messages.push(one.message);
  const { error: code } = error as { error?: unknown };
  return toPrintableLine([...messages, ...(typeof code === 'string' ? [code] : [])].join(': ')).slice(0, 500);
}
