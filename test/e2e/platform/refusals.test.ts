import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { AccountAdminService, generateApiKey } from '../../../src/auth/index.js';
import { PROBLEMS } from '../../../src/platform/http/errors/problem-catalogue.js';
import { type Call, startTestService, type TestService } from '../../support/servers/test-service.js';
import { afterWaiting } from '../../support/fakes/process-time.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ ROLE: 'api' });
});
afterAll(() => service.close());

const post = (body: unknown, more: Partial<Call> = {}) =>
  service.call({ method: 'POST', path: '/v1/watchlist', body, ...more });

describe('every refusal', () => {
  it.each<[string, Call, number, string]>([
    ['an unknown route', { path: '/v1/nothing' }, 404, 'not_found'],
    ['an unknown route outside /v1', { path: '/nothing' }, 404, 'not_found'],
    ['a wrong method', { method: 'PUT', path: '/v1/watchlist' }, 405, 'method_not_allowed'],
    ['no key', { path: '/v1/watchlist', key: null }, 401, 'authentication_required'],
    ['a bad key', { path: '/v1/watchlist', key: 'nonsense' }, 401, 'invalid_token'],
    ['an unknown key', { path: '/v1/watchlist', key: generateApiKey().text }, 401, 'invalid_token'],
    ['a malformed id', { method: 'DELETE', path: '/v1/watchlist/1' }, 404, 'not_found'],
    ['an id in capitals', { method: 'DELETE', path: `/v1/watchlist/WL_${'0'.repeat(26)}` }, 404, 'not_found'],
    ['a malformed URL', { path: '/v1/%ZZ' }, 400, 'invalid_request'],
    ['no domain to check', { path: '/v1/domains/check' }, 400, 'invalid_request'],
    ['two domains to check', { path: '/v1/domains/check?domain=a.test&domain=b.test' }, 400, 'invalid_request'],
    ['an unknown parameter', { path: '/v1/watchlist?limit=5' }, 400, 'invalid_request'],
    ['an unknown status', { path: '/v1/watchlist?status=gone' }, 400, 'invalid_request'],
    ...['0', '101', 'abc', '', '-1', '1e1', '5abc', '1.5', '999999999999'].map(
      (value): [string, Call, number, string] => [
        `per_page=${value}`,
        { path: `/v1/watchlist?per_page=${value}` },
        400,
        'invalid_request',
      ],
    ),
    ['page=0', { path: '/v1/watchlist?page=0' }, 400, 'invalid_request'],
  ])('is a problem document: %s', async (_, call, status, code) => {
    const answer = await service.call(call);
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.body).toMatchObject({
      ...{ type: `/problems/${code}`, title: PROBLEMS[code as keyof typeof PROBLEMS].title, status, code },
      instance: call.path.split('?')[0],
      request_id: answer.headers['x-request-id'],
      retryable: false,
      detail: expect.any(String),
    });
  });

  it('leads to a page about it', async () => {
    for (const code of Object.keys(PROBLEMS)) {
      const page = await service.call({ path: `/problems/${code}`, key: null });
      expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
      expect(page.body['text']).toContain(code);
    }
    expect((await service.call({ path: '/problems/no_such_code', key: null })).status).toBe(404);
  });
});

describe('a body', () => {
  it.each<[string, unknown, string, string, string]>([
    ['without a domain', {}, '/domain', 'required', 'domain is required'],
    ...[5, { a: 1 }, ['a.test'], null, true].map((domain): [string, unknown, string, string, string] => [
      ...([`with ${JSON.stringify(domain)} for a domain`, { domain }, '/domain'] as const),
      ...(['invalid', 'domain must be a string'] as const),
    ]),
    ...['60', 60.5, null, [60], {}].map((interval): [string, unknown, string, string, string] => [
      `with ${JSON.stringify(interval)} for an interval`,
      { domain: 'a.test', interval_minutes: interval },
      ...(['/interval_minutes', 'invalid', 'interval_minutes must be an integer number'] as const),
    ]),
    ['with an unknown field', { domain: 'a.test', color: 'red' }, '/color', 'unknown_field', 'color is not known here'],
    ['that sets its own id', { domain: 'a.test', id: 'wl_1' }, '/id', 'unknown_field', 'id is not known here'],
    ...['__proto__', '__pr\\u006fto__', 'constructor', 'c\\u006fnstructor', 'prototype', 'toString', 'valueOf'].map(
      (name): [string, unknown, string, string, string] => {
        const read = JSON.parse(`"${name}"`) as string;
        const body = `{"domain":"a.test","${name}":{"x":1}}`;
        return [`that reaches for ${name}`, body, `/${read}`, 'unknown_field', `${read} is not known here`];
      },
    ),
    ['that is malformed', '{"domain":', '', 'malformed', 'The body is not valid JSON.'],
    ['that is a list', [], '', 'malformed', 'The body must be a JSON object.'],
    ['that is a text', '"a.test"', '', 'malformed', 'The body must be a JSON object.'],
    ['that is empty', '', '', 'malformed', 'The body must be a JSON object.'],
    [
      ...([
        'that is nested very deep',
        `{"domain":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
        '',
        'malformed',
      ] as const),
      'The body is nested deeper than 20 levels.',
    ],
  ])('%s is refused by pointer', async (_, body, pointer, code, message) => {
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(answer.body['errors']).toEqual([{ pointer, code, message }]);
  });

  it('over 256 KiB is too large, whatever its type', async () => {
    const large = `{"domain":"${'a'.repeat(256 * 1024)}"}`;
    expect(await post(large)).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
    const asText = await post(large, { headers: { 'content-type': 'text/plain' } });
    expect(asText.status).toBe(413);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml'])('of %s is not read', async (type) => {
    const answer = await post('domain=a.test', { headers: { 'content-type': type } });
    expect(answer).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
  });

  it.each([
    ['exa mple.test', 'domain_malformed'],
    ['-a.test', 'domain_malformed'],
    ['192.0.2.1', 'domain_is_ip'],
    ['test', 'domain_single_label'],
    ['co.uk', 'domain_is_public_suffix'],
    ['someone.github.io', 'domain_private_suffix'],
    [`${'a'.repeat(64)}.test`, 'label_too_long'],
    [`${'a.'.repeat(130)}test`, 'domain_too_long'],
    ['example.nosuchtld', 'tld_unsupported'],
  ])('that watches %s is refused: %s', async (domain, code) => {
    const answer = await post({ domain });
    expect(answer).toMatchObject({ status: 422, body: { code, errors: [{ pointer: '/domain', code }] } });
  });

  it('that watches a host names the domain that could be watched', async () => {
    expect((await post({ domain: 'www.example.test' })).body).toMatchObject({
      code: 'not_registrable',
      registrable_domain: 'example.test',
    });
  });

  it('with an interval outside of the plan names those it allows', async () => {
    expect((await post({ domain: 'a.test', interval_minutes: 7 })).body).toMatchObject({
      status: 422,
      code: 'interval_not_allowed',
      allowed_values: [5, 15, 30, 60, 180, 360, 720, 1440],
      errors: [{ pointer: '/interval_minutes' }],
    });
  });

  it('that is refused writes nothing', async () => {
    const database = new pg.Client(service.databaseUrl);
    await database.connect();
    const rows = async () =>
      (
        await database.query<{ domain: string }>(
          'select domain from watched_names union all select id from watch_entries',
        )
      ).rows;
    const before = await rows();
    for (const body of [
      {},
      { domain: 'co.uk' },
      { domain: 'fine.test', interval_minutes: 7 },
      { domain: 'a.test', x: 1 },
    ])
      expect((await post(body)).status).toBeGreaterThanOrEqual(400);
    expect(await rows()).toEqual(before);
    await database.end();
  });
});

describe('refusals come in order', () => {
  const readOnly = async () => {
    const administration = service.app.get(AccountAdminService, { strict: false });
    const request = {
      accountId: service.account.id,
      name: 'reader',
      scopes: ['watchlist:read'],
      expiresAt: null,
      issuedBy: 'cli',
    } as const;
    return (await administration.issueKey(request)).key.text;
  };

  it('route and method before the key', async () => {
    expect((await service.call({ path: '/v1/nothing', key: null })).status).toBe(404);
    const wrongMethod = await service.call({ method: 'PATCH', path: '/v1/notifications', key: null });
    expect(wrongMethod).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD, POST' } });
  });

  it('the key before the body', async () => {
    expect((await post('{"', { key: null })).status).toBe(401);
    expect((await post('x'.repeat(300_000), { key: null })).status).toBe(401);
  });

  it('the scope before the body', async () => {
    const answer = await post('{"', { key: await readOnly() });
    expect(answer).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
    expect(answer.headers['www-authenticate']).toBe(
      'Bearer realm="namewatch", error="insufficient_scope", scope="watchlist:write"',
    );
  });

  it('the media type before the id, the id before the body', async () => {
    const path = `/v1/watchlist/wl_${'0'.repeat(26)}`;
    const headers = { 'content-type': 'text/plain' };
    expect((await service.call({ method: 'DELETE', path, body: 'x', headers })).status).toBe(415);
    expect((await service.call({ method: 'DELETE', path })).status).toBe(404);
  });
});

describe('a key', () => {
  it.each([
    [undefined, 'Bearer realm="namewatch"'],
    ['Basic abc', 'Bearer realm="namewatch"'],
    ['Bearer', 'Bearer realm="namewatch"'],
    ['Bearer x', 'Bearer realm="namewatch", error="invalid_token"'],
    ['Bearer a b', 'Bearer realm="namewatch", error="invalid_token"'],
  ])('presented as %s is answered with %s', async (authorization, challenge) => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    const answer = await service.call({ path: '/v1/watchlist', key: null, headers });
    expect(answer).toMatchObject({ status: 401, headers: { 'www-authenticate': challenge } });
  });

  it('in the URL is no key', async () => {
    const path = `/v1/watchlist?api_key=${service.account.key}`;
    expect((await service.call({ path, key: null })).status).toBe(401);
  });

  it('stops working within a second of its revocation', async () => {
    const { key, id } = await service.openAccount();
    expect((await service.call({ path: '/v1/watchlist', key })).status).toBe(200);
    const administration = service.app.get(AccountAdminService, { strict: false });
    const { keys } = await administration.listKeys(id, { page: 1, perPage: 1, withRevoked: false });
    await administration.revoke(keys[0]?.id ?? '');
    const use = () => service.call({ path: '/v1/watchlist', key });
    expect(await afterWaiting(1_000, use)).toMatchObject({ status: 401 });
  });
});

describe('the request id', () => {
  it.each(['trace-7', 'a b', 'x'.repeat(65), '<script>'])('is ours, also when the caller sends "%s"', async (sent) => {
    const headers = { 'x-request-id': sent };
    const [first, second] = [
      await service.call({ path: '/v1/nothing', headers }),
      await service.call({ path: '/v1/nothing', headers }),
    ];
    const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
    expect(first).toMatchObject({
      headers: { 'x-request-id': uuid },
      body: { request_id: first.headers['x-request-id'] },
    });
    expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect(JSON.stringify(first)).not.toContain(sent);
  });
});

describe('a path of its own beside the paths of ids', () => {
  it.each([
    ['DELETE', '/v1/watchlist/import', 'POST'],
    ['GET', '/v1/watchlist/import', 'POST'],
    ['PATCH', '/v1/watchlist/export', 'GET, HEAD'],
    ['DELETE', '/v1/watchlist/export', 'GET, HEAD'],
    ['DELETE', '/v1/watchlist/import/', 'POST'],
  ])('%s %s is 405, and no id that is not found', async (method, path, allow) => {
    for (const key of [service.account.key, null])
      expect(await service.call({ method, path, key })).toMatchObject({
        ...{ status: 405, headers: { allow } },
        body: { code: 'method_not_allowed' },
      });
  });
});

describe('a merge patch (RFC 7396)', () => {
  const headers = { 'content-type': 'application/merge-patch+json' };

  it('is taken under its own media type wherever something is patched', async () => {
    const entry = await service.call({ method: 'POST', path: '/v1/watchlist', body: { domain: 'merged.test' } });
    const target = { type: 'webhook', target: 'https://hooks.example.test/merged' };
    const channel = await service.call({ method: 'POST', path: '/v1/notifications', body: target });
    const patched = (path: string, body: object) => service.call({ method: 'PATCH', path, body, headers });

    expect(await patched(`/v1/watchlist/${String(entry.body['id'])}`, { note: 'mine' })).toMatchObject({
      ...{ status: 200, body: { note: 'mine' } },
    });
    expect(await patched(`/v1/notifications/${String(channel.body['id'])}`, { active: false })).toMatchObject({
      ...{ status: 200, body: { active: false } },
    });
  });

  it('is no media type of a POST', async () => {
    const answer = await service.call({ method: 'POST', path: '/v1/watchlist', body: { domain: 'x.test' }, headers });
    expect(answer).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
  });

  it('that is no JSON is refused as such', async () => {
    const entry = await service.call({ method: 'POST', path: '/v1/watchlist', body: { domain: 'unread.test' } });
    const path = `/v1/watchlist/${String(entry.body['id'])}`;
    expect(await service.call({ method: 'PATCH', path, body: '{bad', headers })).toMatchObject({ status: 400 });
  });
});

describe('the root', () => {
  it('leads to the documentation', async () => {
    expect(await service.call({ path: '/', key: null })).toMatchObject({ status: 302, headers: { location: '/docs' } });
  });
});
