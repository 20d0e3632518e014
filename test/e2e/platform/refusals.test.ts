import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateApiKey } from '../../../src/auth/index.js';
import { isProblemCode, PROBLEMS } from '../../../src/platform/http/errors/problem-catalogue.js';
import type { BuiltInProblemCode } from '../../../src/kernel/problem-code.js';
import { createFixture } from '../../support/builders/fixtures.js';
import { ApiDocument } from '../../support/documents/api-document.js';
import { running } from '../../support/running.js';
import { type Answer, type Call, startTestService } from '../../support/servers/test-service.js';

const ROOT = join(import.meta.dirname, '../../..');
/** Classes that are given their code: refusals of names, and failures of registries. */
const GIVEN = ['src/domains/checks/check-views.ts', 'src/domains/domain/name/domain-name.ts'];

/** Refusals that need a clock, a mailbox, a cut wire or a crowd are provoked where these are at hand. */
const ELSEWHERE: Partial<Record<BuiltInProblemCode, string>> = {
  channel_unconfirmed: 'test/integration/notifications/email/confirmation.test.ts',
  link_expired: 'test/integration/notifications/email/confirmation.test.ts',
  cursor_expired: 'test/e2e/notifications/events.test.ts',
  idempotency_in_flight: 'test/e2e/platform/idempotency.test.ts',
  request_timeout: 'test/e2e/platform/malformed-http.test.ts',
  expectation_failed: 'test/e2e/platform/malformed-http.test.ts',
  headers_too_large: 'test/e2e/platform/malformed-http.test.ts',
  rate_limited: 'test/e2e/auth/rate-limits.test.ts',
  forbidden_origin: 'test/e2e/auth/sessions.test.ts',
  last_admin: 'test/e2e/auth/members.test.ts',
  account_required: 'test/e2e/auth/named-account.test.ts',
  not_a_member: 'test/e2e/auth/named-account.test.ts',
  authentication_unavailable: 'test/e2e/extensions/extension-accounts.test.ts',
  database_unavailable: 'test/integration/outages/database-outages.test.ts',
  not_ready: 'test/integration/outages/database-outages.test.ts',
  too_many_concurrent_requests: 'test/e2e/auth/fair-share.test.ts',
  overloaded: 'test/unit/platform/http/load-shedding.test.ts',
};

const document = ApiDocument.committed();
const service = running(() => startTestService({ ROLE: 'api' }));

/** The document promises every answer here, where it has the operation. */
async function ask(call: Call): Promise<Answer> {
  const answer = await service.call(call);
  const operation = document.operationOf(call);
  expect(operation ? document.objections(operation, answer) : []).toEqual([]);
  return answer;
}
const post = (body: unknown, more: Partial<Call> = {}) => ask({ method: 'POST', path: '/v1/watchlist', body, ...more });
const check = (domain: string) => () => ask({ path: `/v1/domains/check?domain=${domain}` });
const notify = (target: string, type = 'webhook') => post({ type, target }, { path: '/v1/notifications' });
const own = (kind: string) => createFixture(kind, { call: ask, get: (part) => service.get(part) }, service.account.key);
const HOOK = 'https://hooks.example.test/twice';

async function free(call: Omit<Call, 'key'>, times = 1): Promise<Answer> {
  const { key } = await service.openAccount('free');
  for (let n = 1; n < times; n += 1) await ask({ ...call, key, body: { domain: `full${n}.test` } });
  return ask({ ...call, key });
}

/** A fault of our own: a table that is not there. */
async function broken(): Promise<Answer> {
  await service.query('alter table notification_channels rename to mislaid');
  const answer = await ask({ path: '/v1/notifications' });
  await service.query('alter table mislaid rename to notification_channels');
  return answer;
}

const HERE: Partial<Record<BuiltInProblemCode, () => Promise<Answer>>> = {
  invalid_request: () => post({}),
  authentication_required: () => ask({ path: '/v1/watchlist', key: null }),
  invalid_token: () => ask({ path: '/v1/watchlist', key: 'nonsense' }),
  insufficient_scope: async () => {
    const { body } = await post({ name: 'reader' }, { path: '/v1/keys' });
    return post({ domain: 'a.test' }, { key: String(body['key']) });
  },
  plan_limit_reached: () => free({ method: 'POST', path: '/v1/watchlist', body: { domain: 'a.test' } }, 11),
  not_found: () => ask({ path: '/v1/nothing' }),
  method_not_allowed: () => ask({ method: 'PATCH', path: '/v1/notifications' }),
  already_watched: async () => (await post({ domain: 'twice.test' }), post({ domain: 'twice.test' })),
  already_notified: async () => (await notify(HOOK), notify(HOOK)),
  label_taken: async () => {
    const labelled = (target: string) =>
      post({ type: 'webhook', target, label: 'Twice' }, { path: '/v1/notifications' });
    return (await labelled(`${HOOK}/one`), labelled(`${HOOK}/other`));
  },
  delivery_pending: async () => post({}, { path: `/v1/deliveries/${await own('dl')}/redeliver` }),
  precondition_failed: async () =>
    ask({
      method: 'PATCH',
      path: `/v1/watchlist/${await own('wl')}`,
      body: { paused: true },
      headers: { 'if-match': '"another"' },
    }),
  payload_too_large: () => post({ domain: 'a'.repeat(300_000) }),
  unsupported_media_type: () => post('x', { headers: { 'content-type': 'text/plain' } }),
  domain_malformed: check('-a.test'),
  domain_is_ip: check('192.0.2.1'),
  domain_single_label: check('localhost'),
  domain_is_public_suffix: check('co.uk'),
  domain_private_suffix: check('someone.github.io'),
  domain_too_long: check(`${'a.'.repeat(130)}test`),
  label_too_long: check(`${'a'.repeat(64)}.test`),
  not_registrable: check('www.example.test'),
  tld_unsupported: check('example.nosuchtld'),
  interval_not_allowed: () => post({ domain: 'a.test', interval_minutes: 7 }),
  too_many_domains: () =>
    free({ method: 'POST', path: '/v1/domains/check', body: { domains: Array<string>(21).fill('available.test') } }),
  too_many_removals: async () => {
    await post({ domain: 'unlisted.test', tags: ['file'] });
    const path = '/v1/watchlist/import?mode=sync&scope_tag=file&max_removals=0';
    return post('domain\nlisted.test\n', { path, headers: { 'content-type': 'text/csv' } });
  },
  idempotency_mismatch: async () => {
    const headers = { 'idempotency-key': 'one' };
    await post({ domain: 'one.test' }, { headers });
    return post({ domain: 'other.test' }, { headers });
  },
  target_invalid: () => notify('no-address', 'email'),
  target_not_allowed: () => notify('http://hooks.example.test/'),
  internal_error: broken,
  registry_unreachable: check('unreachable.test'),
  registry_answer_unusable: check('garbage.test'),
  registry_throttled: check('throttled.test'),
  registry_timeout: check('timeout.test'),
};
const provoked = Object.entries(HERE) as [BuiltInProblemCode, () => Promise<Answer>][];

describe('a problem code', () => {
  it.each(provoked)('is answered with the status and title from the catalogue: %s', async (code, provoke) => {
    const { status, title, retryable } = PROBLEMS[code];
    const type = `/problems/${code}`;
    const { body, ...answer } = await provoke();
    expect(body).toMatchObject({ code, status, title, retryable, type });
    expect(body).toMatchObject({ detail: expect.any(String), request_id: answer.headers['x-request-id'] });
    expect(answer).toMatchObject({ status, headers: { 'content-type': 'application/problem+json' } });
  });

  it.each(Object.keys(PROBLEMS))('has a page below /problems: %s', async (code) => {
    const page = await ask({ path: `/problems/${code}`, key: null });
    expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
    expect(page.body['text']).toContain(`<code>${code}</code>`);
  });

  it('has no page if it is not in the catalogue', async () => {
    expect((await ask({ path: '/problems/no_such_code', key: null })).status).toBe(404);
  });

  it('is tested in this file or in another test file named here', () => {
    expect(Object.keys({ ...HERE, ...ELSEWHERE }).sort()).toEqual(Object.keys(PROBLEMS).sort());
    for (const [code, path] of Object.entries(ELSEWHERE))
      expect([path, readFileSync(join(ROOT, path), 'utf8').includes(code)]).toEqual([path, true]);
  });
});

/** Each code that the source throws, with the file that does; `given` where it is not written there. */
function thrown(): [string, string][] {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  );
  return files.flatMap((path) => {
    const text = readFileSync(join(ROOT, 'src', path), 'utf8');
    if (!/DomainError|NameRefused/.test(text)) return [];
    const found = text.matchAll(/(?:super|new (?:DomainError|NameRefused))\(\s*(?:'([a-z_]+)'|(code)\b)/g);
    return [...found].map(([, code = 'given']): [string, string] => [`src/${path}`, code]);
  });
}

describe('a problem code thrown in the source', () => {
  it('is in the catalogue', () => {
    const all = thrown();
    expect(all.length).toBeGreaterThan(40);
    const strange = all.filter(([, code]) => code !== 'given' && !isProblemCode(code));
    expect(strange).toEqual([]);
    const given = all.filter(([, code]) => code === 'given').map(([path]) => path);
    expect([...new Set(given)].sort()).toEqual(GIVEN);
  });
});

describe('a refused request', () => {
  it.each<[string, Call, number, string]>([
    ['an unknown route outside /v1', { path: '/nothing' }, 404, 'not_found'],
    ['an unknown key', { path: '/v1/watchlist', key: generateApiKey().text }, 401, 'invalid_token'],
    ['a malformed id', { method: 'DELETE', path: '/v1/watchlist/1' }, 404, 'not_found'],
    ['an id in capitals', { method: 'DELETE', path: `/v1/watchlist/WL_${'0'.repeat(26)}` }, 404, 'not_found'],
    ['a malformed URL', { path: '/v1/%ZZ' }, 400, 'invalid_request'],
    ['no domain to check', { path: '/v1/domains/check' }, 400, 'invalid_request'],
    ['an empty value for a number', { path: '/v1/watchlist?per_page=' }, 400, 'invalid_request'],
    ['a number like 1e1', { path: '/v1/watchlist?per_page=1e1' }, 400, 'invalid_request'],
    ['page=0', { path: '/v1/watchlist?page=0' }, 400, 'invalid_request'],
  ])('is answered with a problem document: %s', async (_, call, status, code) => {
    const answer = await ask(call);
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.body).toMatchObject({
      type: `/problems/${code}`,
      title: PROBLEMS[code as keyof typeof PROBLEMS].title,
      status,
      code,
      instance: call.path.split('?')[0],
      request_id: answer.headers['x-request-id'],
      retryable: false,
      detail: expect.any(String),
    });
  });
});

const NESTED = `{"domain":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;

describe('a request body', () => {
  it.each<[string, unknown, string, string, string]>([
    ['without a domain', {}, '/domain', 'required', 'domain is required'],
    ['that is malformed', '{"domain":', '', 'malformed', 'The body is not valid JSON.'],
    ['that is a list', [], '', 'malformed', 'The body must be a JSON object.'],
    ['that is a string', '"a.test"', '', 'malformed', 'The body must be a JSON object.'],
    ['that is empty', '', '', 'malformed', 'The body must be a JSON object.'],
    ['that is nested too deeply', NESTED, '', 'malformed', 'The body is nested deeper than 20 levels.'],
  ])('is refused with a pointer to the error: one %s', async (_, body, pointer, code, message) => {
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(answer.body['errors']).toEqual([{ pointer, code, message }]);
  });

  it('gets 413 over 256 KiB, even if its media type is not accepted', async () => {
    const asText = await post('a'.repeat(256 * 1024 + 1), { headers: { 'content-type': 'text/plain' } });
    expect(asText.status).toBe(413);
  });

  it('is refused with a pointer to the domain if the domain is invalid', async () => {
    const code = 'domain_is_public_suffix';
    expect(await post({ domain: 'co.uk' })).toMatchObject({
      status: 422,
      body: { code, errors: [{ pointer: '/domain', code }] },
    });
  });

  it('is refused with the allowed intervals if its interval is not in the plan', async () => {
    expect((await post({ domain: 'a.test', interval_minutes: 7 })).body).toMatchObject({
      status: 422,
      code: 'interval_not_allowed',
      allowed_values: [5, 15, 30, 60, 180, 360, 720, 1440],
      errors: [{ pointer: '/interval_minutes' }],
    });
  });

  it('is refused with a pointer to the plan if no such plan exists', async () => {
    expect((await post({ name: 'Client', plan: 'gold' }, { path: '/v1/accounts' })).body).toMatchObject({
      status: 400,
      code: 'invalid_request',
      errors: [{ pointer: '/plan' }],
    });
  });

  it('writes nothing to the database if it is refused', async () => {
    const rows = async () =>
      (await service.query('select domain from watched_names union all select id from watch_entries')).rows;
    const before = await rows();
    for (const body of [{}, { domain: 'co.uk' }, { domain: 'a.test', interval_minutes: 7 }, { domain: 'a.test', x: 1 }])
      expect((await post(body)).status).toBeGreaterThanOrEqual(400);
    expect(await rows()).toEqual(before);
  });
});

describe('a request with several errors', () => {
  const keyFor = async (scope: string) => {
    const issued = await post({ name: scope, scopes: [scope] }, { path: '/v1/keys' });
    return String(issued.body['key']);
  };

  it('gets 404 or 405 for its route or method before 401 for its key', async () => {
    expect((await ask({ path: '/v1/nothing', key: null })).status).toBe(404);
    const wrongMethod = await ask({ method: 'PATCH', path: '/v1/notifications', key: null });
    expect(wrongMethod).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD, POST' } });
  });

  it('gets 401 for its missing key before any error of its body', async () => {
    expect((await post('{"', { key: null })).status).toBe(401);
    expect((await post('x'.repeat(300_000), { key: null })).status).toBe(401);
  });

  it('gets 403 for the scope of its key before any error of its body', async () => {
    const answer = await post('{"', { key: await keyFor('watchlist:read') });
    expect(answer).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
    expect(answer.headers['www-authenticate']).toBe(
      'Bearer realm="namewatch", error="insufficient_scope", scope="watchlist:write"',
    );
  });

  it('gets 403 for the scope of its key in every operation, even with an unknown id', async () => {
    const [writer, reader] = [await keyFor('notifications:write'), await keyFor('domains:read')];
    for (const operation of document.operations) {
      const scope = operation['x-required-scope'];
      if (scope === undefined) continue;
      const key = scope === 'notifications:write' ? reader : writer;
      const { status, body } = await ask({ ...document.exampleCall(operation, { id: 'none' }), key });
      expect([operation.operationId, status, body['code']]).toEqual([operation.operationId, 403, 'insufficient_scope']);
      expect(body['detail']).toContain(scope);
    }
  });
});

describe('an API key', () => {
  it('is not accepted in the URL', async () => {
    const path = `/v1/watchlist?api_key=${service.account.key}`;
    expect((await ask({ path, key: null })).status).toBe(401);
  });
});

describe('the request id', () => {
  it.each(['trace-7', '<script>'])('is made by the service even if the caller sends "%s"', async (sent) => {
    const headers = { 'x-request-id': sent };
    const [first, second] = [await ask({ path: '/v1/nothing', headers }), await ask({ path: '/v1/nothing', headers })];
    const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
    expect(first).toMatchObject({
      headers: { 'x-request-id': uuid },
      body: { request_id: first.headers['x-request-id'] },
    });
    expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect(JSON.stringify(first)).not.toContain(sent);
  });
});

describe('a fixed path such as /v1/watchlist/import', () => {
  it.each([
    ['DELETE', '/v1/watchlist/import', 'POST'],
    ['PATCH', '/v1/watchlist/export', 'GET, HEAD'],
    ['DELETE', '/v1/watchlist/import/', 'POST'],
  ])('answers 405 to another method, not 404 as for an unknown id: %s %s', async (method, path, allow) => {
    for (const key of [service.account.key, null])
      expect(await ask({ method, path, key })).toMatchObject({
        status: 405,
        headers: { allow },
        body: { code: 'method_not_allowed' },
      });
  });
});

describe('a merge patch (RFC 7396)', () => {
  const headers = { 'content-type': 'application/merge-patch+json' };

  it('is accepted with its own media type for entries and for channels', async () => {
    const entry = await ask({ method: 'POST', path: '/v1/watchlist', body: { domain: 'merged.test' } });
    const target = { type: 'webhook', target: 'https://hooks.example.test/merged' };
    const channel = await ask({ method: 'POST', path: '/v1/notifications', body: target });
    const patched = (path: string, body: object) => ask({ method: 'PATCH', path, body, headers });

    expect(await patched(`/v1/watchlist/${String(entry.body['id'])}`, { note: 'mine' })).toMatchObject({
      status: 200,
      body: { note: 'mine' },
    });
    expect(await patched(`/v1/notifications/${String(channel.body['id'])}`, { active: false })).toMatchObject({
      status: 200,
      body: { active: false },
    });
  });

  it('is refused with 415 as the body of a POST', async () => {
    const answer = await ask({ method: 'POST', path: '/v1/watchlist', body: { domain: 'x.test' }, headers });
    expect(answer).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
  });

  it('gets 400 if it is not valid JSON', async () => {
    const entry = await ask({ method: 'POST', path: '/v1/watchlist', body: { domain: 'unread.test' } });
    const path = `/v1/watchlist/${String(entry.body['id'])}`;
    expect(await ask({ method: 'PATCH', path, body: '{bad', headers })).toMatchObject({ status: 400 });
  });
});

describe('the path /', () => {
  it('redirects to the documentation', async () => {
    expect(await ask({ path: '/', key: null })).toMatchObject({ status: 302, headers: { location: '/docs' } });
  });
});
