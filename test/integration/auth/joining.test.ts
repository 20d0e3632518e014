import { describe, expect, it } from '@jest/globals';
import { running } from '../../support/running.js';
import { FormFiller, OidcServer } from '../../support/servers/oidc-server.js';
import { type Answer, startTestService } from '../../support/servers/test-service.js';

const PUBLIC_URL = 'https://names.example';
const OWN = { 'sec-fetch-site': 'same-origin', 'x-requested-with': 'namewatch' };
const FOREIGN = { 'sec-fetch-site': 'cross-site', 'x-requested-with': 'namewatch' };

const provider = running(() => OidcServer.start({ publicUrl: PUBLIC_URL }));
const service = running(() => startTestService({ ROLE: 'api', PUBLIC_URL, ...provider.settings }));

const cookiesOf = ({ headers }: Answer): string => {
  const set = [headers['set-cookie'] ?? []].flat().map((one) => one.replace(/;.*/, ''));
  return set.filter((one) => !one.endsWith('=')).join('; ');
};

async function invite(key: string, email: string, role = 'editor'): Promise<string> {
  const { body } = await service.call({ method: 'POST', path: '/v1/invitations', key, body: { email, role } });
  return String(body['link']).split('=')[1] ?? '';
}

/** Follows a link on any page to its end, in the browser of somebody who is signed in at the provider. */
async function follow(login: string, token: string, browser = new FormFiller()): Promise<Answer> {
  const begun = await service.call({ path: `/sign-in?invitation=${token}`, key: null });
  const callback = await browser.signIn(String(begun.headers['location']), login);
  const headers = { cookie: cookiesOf(begun) };
  return service.call({ path: callback.pathname + callback.search, key: null, headers });
}

const offer = (method: string, cookie: string, headers: Record<string, string> = OWN) =>
  service.call({ method, path: '/sign-in/offer', key: null, headers: { ...headers, cookie } });

const membersOf = async (key: string) =>
  ((await service.call({ path: '/v1/members', key })).body['data'] as { email: string }[]).map(({ email }) => email);

describe('a link of an invitation, on whatever page', () => {
  it('makes nobody a member, not even who is signed in already: it leads to our question', async () => {
    const [own, foreign] = [await service.openAccount(), await service.openAccount()];
    const browser = new FormFiller();
    const joined = await follow('ann', await invite(own.key, 'ann@example.test'), browser);
    expect((await offer('POST', cookiesOf(joined))).status).toBe(200);

    const answer = await follow('ann', await invite(foreign.key, 'ann@example.test'), browser);
    expect(answer.headers['location']).toBe('/ui/#join');
    expect(await membersOf(foreign.key)).toEqual([]);
    for (const headers of [FOREIGN, { 'sec-fetch-site': 'same-site' }, { 'sec-fetch-site': 'same-origin' }, {}])
      expect(await offer('POST', cookiesOf(answer), headers)).toMatchObject({
        status: 403,
        body: { code: 'forbidden_origin' },
      });
    expect(await offer('GET', cookiesOf(answer))).toMatchObject({ status: 200 });
    expect(await membersOf(foreign.key)).toEqual([]);
  });
});

describe('the question whether to join', () => {
  it('names the account, who invites, whom, and the role', async () => {
    const { key } = await service.openAccount();
    const cookies = cookiesOf(await follow('bob', await invite(key, 'bob@example.test', 'viewer')));
    const { status, body } = await offer('GET', cookies);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        account: expect.any(String),
        email: 'bob@example.test',
        role: 'viewer',
        inviter: expect.stringMatching(/^the API key /),
      },
    });
    expect(await offer('GET', cookies, FOREIGN)).toMatchObject({ status: 403 });
  });

  it('is answered with a yes once, which begins a session', async () => {
    const account = await service.openAccount();
    const cookies = cookiesOf(await follow('cid', await invite(account.key, 'cid@example.test')));
    const yes = await offer('POST', cookies);
    expect(yes).toMatchObject({ status: 200, body: { account_id: account.id } });
    expect(await membersOf(account.key)).toEqual(['cid@example.test']);
    const me = await service.call({ path: '/v1/me', key: null, headers: { ...OWN, cookie: cookiesOf(yes) } });
    expect(me.body).toMatchObject({ account: { id: account.id }, person: { email: 'cid@example.test' } });
    expect(await offer('POST', cookies)).toMatchObject({ status: 410, body: { code: 'link_expired' } });
  });

  it('is not answered by the session of another person, nor without a sign-in', async () => {
    const [own, other] = [await service.openAccount(), await service.openAccount()];
    const yes = await offer('POST', cookiesOf(await follow('eve', await invite(own.key, 'eve@example.test'))));
    await follow('fay', await invite(other.key, 'fay@example.test'));
    for (const cookie of [cookiesOf(yes), '', '__Host-namewatch-offer=a.b'])
      for (const method of ['GET', 'POST'])
        expect(await offer(method, cookie)).toMatchObject({ status: 410, body: { code: 'link_expired' } });
    expect(await membersOf(other.key)).toEqual([]);
  });

  it('has an end: an invitation that was taken back meanwhile is none', async () => {
    const { key } = await service.openAccount();
    const token = await invite(key, 'gus@example.test');
    const cookies = cookiesOf(await follow('gus', token));
    await service.call({ method: 'DELETE', path: `/v1/invitations/${token.split('.')[0] ?? ''}`, key });
    expect(await offer('POST', cookies)).toMatchObject({ status: 410 });
    expect(await membersOf(key)).toEqual([]);
  });
});
