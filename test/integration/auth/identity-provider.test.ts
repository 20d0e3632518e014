import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import {
  IdentityProvider,
  ProviderUnavailable,
  SignInDeclined,
  SignInUnproven,
} from '../../../src/auth/sign-in/identity-provider.js';
import { SystemClock } from '../../../src/kernel/clock.js';
import { CALLBACK, HostileProvider, sendJson, type Testimony } from '../../world/hostile-provider.js';
import { eventually } from '../../support/eventually.js';
import { running } from '../../support/running.js';

const PUBLIC_URL = 'https://names.example';
const now = () => Math.floor(Date.now() / 1_000);

const hostile = running(() => HostileProvider.start());
/** So long a busy machine may take for an answer that comes at once. */
const PATIENT_MS = 60_000;
const client = (timeoutMs = PATIENT_MS) =>
  new IdentityProvider(hostile.settings, PUBLIC_URL, new SystemClock(), timeoutMs);

const lines: string[] = [];
beforeAll(() => {
  const keep = (line: unknown) => void lines.push(String(line));
  Logger.overrideLogger({ log: keep, warn: keep, error: keep });
});
afterAll(() => void Logger.overrideLogger(false));
afterEach(() => {
  hostile.metadata = {};
  hostile.answers.clear();
});

async function signIn(testimony: Testimony = {}, provider = client()) {
  const { url, secrets } = await provider.begin();
  return provider.complete(hostile.authorize(url, testimony), secrets);
}

/** The kind of failure and its message. */
async function failure(of: Promise<unknown>): Promise<{ kind: unknown; message: string }> {
  try {
    await of;
  } catch (error) {
    return { kind: (error as Error).constructor, message: (error as Error).message };
  }
  throw new Error('it succeeded');
}

describe('a user signed in by the identity provider', () => {
  it('is known by issuer and subject, with name, verified email address and groups', async () => {
    const claims = { email: 'alice@example.test', email_verified: true, groups: ['ops', 'clients'] };
    expect(await signIn({ claims })).toEqual({
      issuer: hostile.issuer,
      subject: 'alice',
      name: 'Alice',
      email: 'alice@example.test',
      groups: ['ops', 'clients'],
    });
  });

  it('also gets the email address and groups that only the userinfo endpoint returns', async () => {
    const userInfo = { email: 'alice@example.test', email_verified: true, groups: ['ops'] };
    expect(await signIn({ userInfo })).toMatchObject({ email: 'alice@example.test', groups: ['ops'] });
  });

  it('has no email address unless one source both states the address and verifies it', async () => {
    const claims = { email: 'alice@example.test', email_verified: false };
    const userInfo = { email: 'chef@example.test', email_verified: true };
    expect(await signIn({ claims, userInfo })).toMatchObject({ email: null });
    expect(await signIn({ claims: { email_verified: true }, userInfo: { email: 'chef@example.test' } })).toMatchObject({
      email: null,
    });
  });

  it('is refused if the userinfo endpoint returns a different subject than the token', async () => {
    expect((await failure(signIn({ userInfo: { sub: 'bob' } }))).kind).toBe(SignInUnproven);
  });

  it('can sign in although the clocks of provider and service differ by 50 s', async () => {
    expect(await signIn({ claims: { exp: now() - 50, iat: now() - 350 } })).toMatchObject({ subject: 'alice' });
    expect(await signIn({ claims: { iat: now() + 50, exp: now() + 350 } })).toMatchObject({ subject: 'alice' });
  });

  it('is sent to the provider with PKCE and an unguessable nonce and state', async () => {
    const [one, other] = await Promise.all([client().begin(), client().begin()]);
    const { nonce, state, code_challenge } = Object.fromEntries(one.url.searchParams);
    expect(Object.fromEntries(one.url.searchParams)).toMatchObject({
      client_id: 'namewatch',
      response_type: 'code',
      redirect_uri: CALLBACK,
      scope: 'openid profile email',
      code_challenge_method: 'S256',
    });
    expect([nonce, state, code_challenge].every((text) => (text ?? '').length >= 43)).toBe(true);
    expect(one.secrets.state).not.toBe(other.secrets.state);
  });
});

/** A token that anyone can make: unsigned, or signed with the secret of the client, as if that were a key. */
function selfMade(algorithm: string, nonce: string): string {
  const claims = { iss: hostile.issuer, aud: 'namewatch', sub: 'alice', nonce, iat: now(), exp: now() + 300 };
  const parts = [{ alg: algorithm }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  const content = parts.join('.');
  const { clientSecret } = hostile.settings;
  return `${content}.${algorithm === 'none' ? '' : createHmac('sha256', clientSecret).update(content).digest('base64url')}`;
}

describe('an ID token', () => {
  it.each<[string, RegExp, () => Testimony]>([
    ['of another issuer', /"iss" .* claim value$/, () => ({ claims: { iss: 'https://evil.example' } })],
    ['without an issuer', /"iss" .* missing$/, () => ({ claims: { iss: undefined } })],
    ['for another audience', /"aud" .* claim value$/, () => ({ claims: { aud: 'another-client' } })],
    [
      'for several audiences and authorized for another one',
      /"azp" .* claim value$/,
      () => ({ claims: { aud: ['namewatch', 'x'], azp: 'x' } }),
    ],
    [
      'signed with a key that the provider does not publish',
      /signature verification failed$/,
      () => ({ isForged: true }),
    ],
    ['that names an unknown key', /no applicable keys found$/, () => ({ header: { kid: 'another key' } })],
    ['with a critical header that is not supported', /"crit"/, () => ({ header: { crit: ['b64'], b64: true } })],
    [
      'that expired 90 s ago',
      /"exp" .* past current timestamp$/,
      () => ({ claims: { exp: now() - 90, iat: now() - 390 } }),
    ],
    ['without an expiry time', /"exp" .* missing$/, () => ({ claims: { exp: undefined } })],
    ['issued 90 s in the future', /from the future$/, () => ({ claims: { iat: now() + 90, exp: now() + 390 } })],
    ['that is not valid yet', /"nbf" .* claim value$/, () => ({ claims: { nbf: now() + 90 } })],
    ['without a nonce', /"nonce" .* missing$/, () => ({ claims: { nonce: undefined } })],
    ['with another nonce', /"nonce" claim value$/, () => ({ claims: { nonce: 'of another sign-in' } })],
    ['without a subject', /"sub" .* missing$/, () => ({ claims: { sub: undefined } })],
    ['with a number as its subject', /"sub" .* type$/, () => ({ claims: { sub: 17 } })],
    ['with an empty subject', /must not be empty$/, () => ({ claims: { sub: '' } })],
    ['with a subject of 300 characters', /255 ASCII characters$/, () => ({ claims: { sub: 'a'.repeat(300) } })],
    ['with a control character in its subject', /255 ASCII characters$/, () => ({ claims: { sub: 'alice\u0000' } })],
    [
      'with more than 1000 groups',
      /more than 1000 groups$/,
      () => ({ claims: { groups: Array.from({ length: 1_001 }, (_, n) => `g${n}`) } }),
    ],
    [
      'that leaves out the groups because they are too many',
      /in too many groups$/,
      () => ({ claims: { _claim_names: { groups: 'src1' } } }),
    ],
    ['that is not a JWT', /Invalid JWT$/, () => ({ token: 'not a token' })],
    ['of three empty JSON objects', /"alg"/, () => ({ token: 'e30.e30.e30' })],
  ])('is refused if it is a token %s', async (_, why, testimony) => {
    const refused = { kind: SignInUnproven, message: expect.stringMatching(why) };
    expect(await failure(signIn(testimony()))).toEqual(refused);
  });

  it.each(['none', 'HS256'])(
    'is refused if its algorithm is %s, even if the provider lists that algorithm',
    async (algorithm) => {
      hostile.metadata = { id_token_signing_alg_values_supported: ['ES256', algorithm] };
      const provider = client();
      const { url, secrets } = await provider.begin();
      const token = selfMade(algorithm, secrets.nonce);
      const refused = { kind: SignInUnproven, message: expect.stringMatching(/unsupported JWS/) };
      expect(await failure(provider.complete(hostile.authorize(url, { token }), secrets))).toEqual(refused);
    },
  );

  it('is accepted without its name, email address or groups if these are malformed', async () => {
    const claims = {
      name: 'Eve\u202E resu',
      preferred_username: { toString: 'x' },
      email: 'eve@example.test\r\nBcc: all@example.test',
      email_verified: true,
      groups: ['ok', '', 'a'.repeat(300), 'with\nline', 7, null, { a: 1 }, 'ok'],
    };
    expect(await signIn({ claims })).toMatchObject({ name: null, email: null, groups: ['ok'] });
    expect(await signIn({ claims: { ...claims, email: 'eve@example.test', email_verified: 'true' } })).toMatchObject({
      email: null,
    });
    expect(await signIn({ claims: { name: 'n'.repeat(100_000), groups: { ops: true } } })).toMatchObject({
      name: null,
      groups: [],
    });
  });
});

describe('a browser returning from the identity provider', () => {
  it.each<[string, RegExp, NonNullable<Testimony['query']>]>([
    ['with the state of another sign-in', /unexpected "state"/, { state: 'x'.repeat(43) }],
    ['without a state', /"state" missing$/, { state: undefined }],
    ['from another issuer (RFC 9207)', /unexpected "iss"/, { iss: 'https://evil.example' }],
    ['without an issuer, which the provider always sends', /"iss" .* missing$/, { iss: undefined }],
    ['without a code', /no authorization code/, { code: undefined }],
    ['with a code that was never issued', /invalid_grant$/, { code: 'guessed' }],
    ['with a token instead of a code', /implicit and hybrid flows/, { id_token: 'e30.e30.e30' }],
    ['with an encoded response (JARM)', /JARM/, { response: 'e30.e30.e30' }],
  ])('is refused if it returns %s', async (_, why, query) => {
    const refused = { kind: SignInUnproven, message: expect.stringMatching(why) };
    expect(await failure(signIn({ query }))).toEqual(refused);
  });

  it('is refused if it returns with the code of another browser’s sign-in', async () => {
    const [mine, other] = [await client().begin(), await client().begin()];
    const query = hostile.authorize(other.url, { query: { state: mine.secrets.state } });
    expect((await failure(client().complete(query, mine.secrets))).kind).toBe(SignInUnproven);
  });

  it('gets "declined" for the error access_denied, and "unavailable" for temporarily_unavailable', async () => {
    const query = { code: undefined, error: 'access_denied' };
    expect((await failure(signIn({ query }))).kind).toBe(SignInDeclined);
    expect((await failure(signIn({ query: { ...query, error: 'temporarily_unavailable' } }))).kind).toBe(
      ProviderUnavailable,
    );
  });
});

const redirect = (response: ServerResponse) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
const never = () => undefined;
const flood = (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(Buffer.alloc(600 * 1024, '[')); // more than is read
};

describe('namewatch doctor, about an identity provider', () => {
  it('says which URLs to register at the provider, and which scopes the provider does not list', async () => {
    const host = new URL(hostile.issuer).host;
    const found = `${host} answers, keys: 1; register there ${CALLBACK}, and for after the sign-out ${PUBLIC_URL}/ui/`;
    expect(await client().check()).toBe(found);
    hostile.metadata = { scopes_supported: ['openid'] };
    expect(await client().check()).toBe(`${found}; warning: it does not list the scope profile, email`);
  });

  it('reports a provider without keys or without a metadata document', async () => {
    hostile.answers.set('/keys', (response) => sendJson(response, { keys: [] }));
    expect((await failure(client().check())).message).toMatch(/\/keys has no keys \(200\)$/);
    hostile.answers.set('/.well-known/openid-configuration', (response) => response.writeHead(404).end());
    expect((await failure(client().check())).message).toMatch(/unexpected HTTP response status code$/);
  });
});

describe('an identity provider', () => {
  it.each<[string, (response: ServerResponse) => unknown, timeoutMs: number]>([
    ['redirects to another address', redirect, PATIENT_MS],
    ['never answers', never, 500],
    ['sends an answer that is too large', flood, PATIENT_MS],
    ['answers 500', (response) => response.writeHead(500).end(), PATIENT_MS],
    ['closes the connection', (response) => response.destroy(), PATIENT_MS],
    [
      'answers with an HTML page',
      (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
      PATIENT_MS,
    ],
  ])('counts as unavailable if any of its endpoints %s', async (_, answer, timeoutMs) => {
    for (const path of ['/.well-known/openid-configuration', '/token', '/userinfo', '/keys']) {
      hostile.answers.clear();
      const { url, secrets } = await client().begin();
      const query = hostile.authorize(url);
      const provider = client(timeoutMs);
      hostile.answers.set(path, answer);
      const asked = path.startsWith('/.well-known') ? provider.begin() : provider.complete(query, secrets);
      expect([path, (await failure(asked)).kind]).toEqual([path, ProviderUnavailable]);
    }
  });

  it('can sign a user in immediately after changing its keys', async () => {
    const provider = client();
    await signIn({}, provider);
    await hostile.rotateKeys();
    expect(await signIn({}, provider)).toMatchObject({ subject: 'alice' });
  });

  it('counts as unavailable if it refuses the client, with an error naming the wrong settings', async () => {
    const refuse = (response: ServerResponse) => sendJson(response, { error: 'invalid_client' }, 401);
    hostile.answers.set('/token', refuse);
    expect(await failure(signIn())).toEqual({
      kind: ProviderUnavailable,
      message: expect.stringMatching(/refuses OIDC_CLIENT_ID and OIDC_CLIENT_SECRET$/),
    });
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    [
      'another issuer',
      { issuer: 'https://evil.example' },
      /issuer is https:\/\/evil.example: that has to be OIDC_ISSUER$/,
    ],
    ['no keys', { jwks_uri: undefined }, /no https address as jwks_uri$/],
    [
      'a plain http address on another machine',
      { token_endpoint: 'http://192.0.2.1/token' },
      /no https address as token_endpoint$/,
    ],
    ['no valid sign-in address', { authorization_endpoint: 7 }, /no https address as authorization_endpoint$/],
  ])('counts as unavailable if its metadata has %s', async (_, metadata, why) => {
    hostile.metadata = metadata;
    expect(await failure(client().begin())).toEqual({ kind: ProviderUnavailable, message: expect.stringMatching(why) });
  });

  it('counts as unavailable if its userinfo address is plain http on another machine', async () => {
    hostile.metadata = { userinfo_endpoint: 'http://192.0.2.1/userinfo' };
    expect(await failure(signIn())).toMatchObject({
      kind: ProviderUnavailable,
      message: expect.stringMatching(/https only/),
    });
  });

  it('is asked for its metadata once when 50 users sign in at the same time', async () => {
    const provider = client();
    hostile.requests.length = 0;
    await Promise.all(Array.from({ length: 50 }, () => provider.begin()));
    await provider.isAvailable();
    expect(hostile.requests).toEqual(['/.well-known/openid-configuration']);
  });

  it('is not asked again right after an error, and is found when it works again', async () => {
    const provider = client();
    hostile.answers.set('/.well-known/openid-configuration', (response) => response.writeHead(503).end());
    expect(await provider.isAvailable()).toBe(false);
    hostile.requests.length = 0;
    await Promise.all(Array.from({ length: 20 }, () => failure(provider.begin())));
    expect(hostile.requests).toEqual([]);
    hostile.answers.clear();
    await eventually(
      () => provider.isAvailable(),
      (isAvailable) => isAvailable,
    );
    expect(lines.at(-1)).toMatch(`The sign-in at ${new URL(hostile.issuer).host} is back after`);
  });

  it('has a sign-out URL, unless its metadata gives none or an unsafe one', async () => {
    const { origin, pathname, searchParams } = new URL((await client().signOutUrl()) ?? '');
    expect([origin, pathname]).toEqual([hostile.issuer, '/bye']);
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: 'namewatch',
      post_logout_redirect_uri: `${PUBLIC_URL}/ui/`,
    });
    for (const end_session_endpoint of [undefined, 'javascript:alert(1)', 'http://192.0.2.1/bye']) {
      hostile.metadata = { end_session_endpoint };
      expect(await client().signOutUrl()).toBe(null);
    }
  });
});
