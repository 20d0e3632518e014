import { describe, expect, it } from '@jest/globals';
import { RefusedAuthentications } from '../../../src/auth/authentication/refused-authentications.js';
import { running } from '../../support/running.js';
import { FormFiller, OidcServer } from '../../support/servers/oidc-server.js';
import { type Answer, startTestService } from '../../support/servers/test-service.js';

const PUBLIC_URL = 'https://names.example';

const provider = running(() => OidcServer.start({ publicUrl: PUBLIC_URL }));
const service = running(() => startTestService({ ROLE: 'api', PUBLIC_URL, ...provider.settings }));

const cookiesOf = ({ headers }: Answer): string[] => [headers['set-cookie'] ?? []].flat();
const cookieOf = (answer: Answer, nth = 0) => cookiesOf(answer)[nth]?.replace(/;.*/, '') ?? '';
const sessionOf = (answer: Answer) => cookieOf(answer, 1); // the first one ends the sign-in

const begin = (query = '') => service.call({ path: `/sign-in${query}`, key: null });
const comeBack = (callback: URL, cookie: string | null) =>
  service.call({
    path: callback.pathname + callback.search,
    key: null,
    headers: cookie === null ? {} : { cookie },
  });

/** Signs in as this person, with an account or without. */
async function signIn(login: string, query = '', browser = new FormFiller()): Promise<Answer> {
  const begun = await begin(query);
  const callback = await browser.signIn(String(begun.headers['location']), login);
  return comeBack(callback, cookieOf(begun));
}

async function makeMember(subject: string): Promise<string> {
  const body = { email: `${subject}@example.test`, role: 'viewer' };
  const invited = await service.call({ method: 'POST', path: '/v1/invitations', body });
  await signIn(subject, `?invitation=${String(invited.body['link']).split('=')[1] ?? ''}`);
  const { rows } = await service.query<{ id: string }>('select id from people where subject = $1', [subject]);
  return rows[0]?.id ?? '';
}

describe('a user who signs in', () => {
  it('is stored once, with issuer and verified email address, despite two simultaneous sign-ins', async () => {
    await makeMember('carol');
    await Promise.all([signIn('carol'), signIn('carol')]);
    const { rows } = await service.query(`select issuer, name, email from people where subject = 'carol'`);
    expect(rows).toEqual([{ issuer: provider.issuer, name: 'carol example', email: 'carol@example.test' }]);
  });

  it('gets a session as a member of an account, and returns to the page visited before', async () => {
    await makeMember('alice');
    const answer = await signIn('alice', '?to=/ui/names/example.com%3Ftab=history');
    expect(answer).toMatchObject({ status: 303, headers: { location: '/ui/names/example.com?tab=history' } });
    const headers = { cookie: sessionOf(answer) };
    const { status, body } = await service.call({ path: '/v1/me', key: null, headers });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      account: { id: service.account.id },
      person: { name: 'alice example', email: 'alice@example.test', role: 'viewer' },
    });
  });

  it('gets no session without an account, and sees which verified email address was used', async () => {
    const answer = await signIn('dave');
    expect(answer.headers['location']).toBe('/ui/#problem=sign_in_no_account&email=dave%40example.test');
    expect(cookiesOf(answer)).toHaveLength(1);
    const unverified = await signIn('unverified-dave');
    expect(unverified.headers['location']).toBe('/ui/#problem=sign_in_no_account');
  });

  it('gets no session with an invitation for another email address, and is told why', async () => {
    const body = { email: 'somebody@example.test', role: 'admin' };
    const invited = await service.call({ method: 'POST', path: '/v1/invitations', body });
    const answer = await signIn('eve', `?invitation=${String(invited.body['link']).split('=')[1] ?? ''}`);
    expect(answer.headers['location']).toBe('/ui/#problem=sign_in_invitation');
    expect(cookiesOf(answer)).toHaveLength(1);
  });

  it('is rate-limited within 21 sign-ins in a row, while another user can still sign in', async () => {
    const browser = new FormFiller();
    const outcomes = new Set<string>();
    for (let n = 0; n < 21; n += 1) outcomes.add(String((await signIn('erin', '', browser)).headers['location']));
    expect([...outcomes]).toEqual([expect.stringMatching('sign_in_no_account'), '/ui/#problem=rate_limited']);
    expect((await signIn('dave')).headers['location']).toMatch('sign_in_no_account');
  });

  it('is sent to /ui/ if the sign-in link names a page on another site', async () => {
    const answer = await signIn('alice', `?to=${encodeURIComponent('//evil.example/ui/')}`);
    expect(answer.headers['location']).toBe('/ui/');
  });
});

describe('a browser during a sign-in', () => {
  it('keeps the sign-in for ten minutes in a cookie that scripts and other hosts cannot read', async () => {
    const [cookie] = cookiesOf(await begin());
    expect(cookie).toMatch(/^__Host-namewatch-sign-in=[\w.-]+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  });

  it('cannot finish a sign-in that another browser began', async () => {
    const begun = await begin();
    const callback = await new FormFiller().signIn(String(begun.headers['location']), 'alice');
    expect((await comeBack(callback, null)).headers['location']).toBe('/ui/#problem=sign_in_expired');
    const other = cookieOf(await begin());
    expect((await comeBack(callback, other)).headers['location']).toBe('/ui/#problem=sign_in_unproven');
    expect((await comeBack(callback, `${other.slice(0, -4)}AAAA`)).headers['location']).toBe(
      '/ui/#problem=sign_in_expired',
    );
  });

  it('is signed in only once if it returns twice with the same code', async () => {
    const begun = await begin();
    const callback = await new FormFiller().signIn(String(begun.headers['location']), 'alice');
    const first = await comeBack(callback, cookieOf(begun));
    expect(first.headers['location']).toBe('/ui/');
    expect(cookiesOf(first)[0]).toMatch(/^__Host-namewatch-sign-in=; Max-Age=0;/);
    const stolen = await comeBack(callback, cookieOf(begun));
    expect(stolen.headers['location']).toBe('/ui/#problem=sign_in_unproven');
  });

  it('is told that the sign-in was declined if the provider returns access_denied', async () => {
    const begun = await begin('?to=/ui/agenda');
    const { searchParams } = new URL(String(begun.headers['location']));
    const no = new URLSearchParams({
      error: 'access_denied',
      state: searchParams.get('state') ?? '',
      iss: provider.issuer,
    });
    const answer = await comeBack(new URL(`/sign-in/callback?${no.toString()}`, PUBLIC_URL), cookieOf(begun));
    expect(answer.headers['location']).toBe('/ui/agenda#problem=sign_in_declined');
  });

  it('can sign in although 200 invalid codes arrive from the same IP address', async () => {
    const [begun, wrong] = [await begin(), await begin()];
    const callback = await new FormFiller().signIn(String(begun.headers['location']), 'alice');
    const { state = '' } = Object.fromEntries(new URL(String(wrong.headers['location'])).searchParams);
    const query = new URLSearchParams({ code: 'guessed', state, iss: provider.issuer }).toString();
    const flood = Array.from({ length: 200 }, () =>
      comeBack(new URL(`/sign-in/callback?${query}`, PUBLIC_URL), cookieOf(wrong)),
    );
    expect((await comeBack(callback, cookieOf(begun))).headers['location']).toBe('/ui/');
    const outcomes = new Set((await Promise.all(flood)).map(({ headers }) => headers['location']));
    expect([...outcomes]).toEqual(['/ui/#problem=sign_in_unproven']);
  });

  it('causes one audit record with a count if it is refused many times', async () => {
    await service.get(RefusedAuthentications).flush();
    const refused = `select state_after as after from audit_records where action = 'authentication.refused'`;
    const { rows } = await service.query<{ after: string }>(refused);
    const counted = { reason: 'sign_in', count: 202, since: expect.any(String) };
    expect(rows.map(({ after }) => JSON.parse(after) as unknown)).toEqual([counted]);
  });
});

describe('the sign-in page', () => {
  it('gets the URLs for signing in and out from the API', async () => {
    const { body } = await service.call({ path: '/sign-in/provider', key: null });
    expect(body).toEqual({
      provider: {
        name: new URL(provider.issuer).host,
        available: true,
        sign_in_url: `${PUBLIC_URL}/sign-in`,
        sign_out_url: expect.stringMatching(/client_id=namewatch/),
      },
    });
  });

  describe('without settings of an identity provider', () => {
    const bare = running(() => startTestService({ ROLE: 'api', DATABASE_URL: service.databaseUrl }));

    it('gets no sign-in URL, and the sign-in routes answer 404', async () => {
      expect((await bare.call({ path: '/sign-in/provider', key: null })).body).toEqual({ provider: null });
      for (const path of ['/sign-in', '/sign-in/callback?code=x&state=y']) {
        const { status, body } = await bare.call({ path, key: null });
        expect([status, body['code'], body['detail']]).toEqual([404, 'not_found', 'There is nothing at this path.']);
      }
    });
  });
});

describe('an identity provider that has stopped', () => {
  const gone = running(() => OidcServer.start({ publicUrl: PUBLIC_URL }));
  const alone = running(() =>
    startTestService({ ROLE: 'api', PUBLIC_URL, ...gone.settings, DATABASE_URL: service.databaseUrl }),
  );

  it('leaves sessions and keys valid, and a returning browser sees that sign-in is unavailable', async () => {
    const session = { cookie: sessionOf(await signIn('alice')) };
    const begun = await alone.call({ path: '/sign-in', key: null });
    const callback = await new FormFiller().signIn(String(begun.headers['location']), 'alice');
    await gone.stop();
    const headers = { cookie: cookieOf(begun) };
    const ended = await alone.call({ path: callback.pathname + callback.search, key: null, headers });
    expect(ended.headers['location']).toBe('/ui/#problem=sign_in_unavailable');
    expect((await alone.call({ path: '/v1/me', key: alone.account.key })).status).toBe(200);
    const me = await alone.call({ path: '/v1/me', key: null, headers: session });
    expect(me.body).toMatchObject({ person: { email: 'alice@example.test' } });
  });

  it('does not keep the service from starting', async () => {
    const later = await startTestService({
      ROLE: 'api',
      PUBLIC_URL,
      ...gone.settings,
      DATABASE_URL: service.databaseUrl,
    });
    try {
      const { body } = await later.call({ path: '/sign-in/provider', key: null });
      expect(body).toEqual({ provider: expect.objectContaining({ available: false, sign_out_url: null }) });
      expect((await later.call({ path: '/sign-in', key: null })).headers['location']).toBe(
        '/ui/#problem=sign_in_unavailable',
      );
    } finally {
      await later.close();
    }
  });
});
