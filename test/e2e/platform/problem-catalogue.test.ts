import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import {
  isProblemCode,
  PROBLEMS,
  type BuiltInProblemCode,
} from '../../../src/platform/http/errors/problem-catalogue.js';
import { createFixture } from '../../support/builders/fixtures.js';
import { type Answer, type Call, startTestService, type TestService } from '../../support/servers/test-service.js';

const ROOT = join(import.meta.dirname, '../../..');
/** Used by the command line only. */
const NOT_IN_API = ['unknown_plan', 'account_being_deleted'];
/** Classes that are given their code: refusals of names, and failures of registries. */
const GIVEN = ['src/domains/checks/check-views.ts', 'src/domains/domain/name/domain-name.ts'];

/** What takes a clock, a mailbox, a cut wire or a crowd is provoked where these are at hand. */
const ELSEWHERE: Partial<Record<BuiltInProblemCode, string>> = {
  channel_unconfirmed: 'test/integration/notifications/email/confirmation.test.ts',
  link_expired: 'test/integration/notifications/email/confirmation.test.ts',
  cursor_expired: 'test/e2e/notifications/events.test.ts',
  idempotency_in_flight: 'test/e2e/platform/idempotency.test.ts',
  request_timeout: 'test/e2e/platform/malformed-http.test.ts',
  expectation_failed: 'test/e2e/platform/malformed-http.test.ts',
  headers_too_large: 'test/e2e/platform/malformed-http.test.ts',
  rate_limited: 'test/e2e/auth/rate-limits.test.ts',
  authentication_unavailable: 'test/e2e/extensions/extension-accounts.test.ts',
  database_unavailable: 'test/integration/outages/database-away.test.ts',
  not_ready: 'test/integration/outages/database-away.test.ts',
  too_many_concurrent_requests: 'test/e2e/auth/fair-share.test.ts',
  overloaded: 'test/unit/platform/http/load-shedding.test.ts',
};

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ ROLE: 'api' });
});
afterAll(() => service.close());

const ask = (call: Call) => service.call(call);
const post = (path: string, body: unknown, more: Partial<Call> = {}) => ask({ method: 'POST', path, body, ...more });
const check = (domain: string) => () => ask({ path: `/v1/domains/check?domain=${domain}` });
const watch = (body: object, more: Partial<Call> = {}) => post('/v1/watchlist', body, more);
const notify = (target: string, type = 'webhook') => post('/v1/notifications', { type, target });
const own = (kind: string) => createFixture(kind, ask, service.account.key);
const HOOK = 'https://hooks.example.test/twice';

async function free(call: Omit<Call, 'key'>, times = 1): Promise<Answer> {
  const { key } = await service.openAccount('free');
  for (let n = 1; n < times; n += 1) await ask({ ...call, key, body: { domain: `full${n}.test` } });
  return ask({ ...call, key });
}

/** A fault of our own: a table that is not there. */
async function broken(): Promise<Answer> {
  const database = new pg.Client(service.databaseUrl);
  await database.connect();
  await database.query('alter table notification_channels rename to mislaid');
  const answer = await ask({ path: '/v1/notifications' });
  await database.query('alter table mislaid rename to notification_channels');
  await database.end();
  return answer;
}

const HERE: Partial<Record<BuiltInProblemCode, () => Promise<Answer>>> = {
  invalid_request: () => watch({}),
  authentication_required: () => ask({ path: '/v1/watchlist', key: null }),
  invalid_token: () => ask({ path: '/v1/watchlist', key: 'nonsense' }),
  insufficient_scope: async () => {
    const { body } = await post('/v1/keys', { name: 'reader' });
    return watch({ domain: 'a.test' }, { key: String(body['key']) });
  },
  plan_limit_reached: () => free({ method: 'POST', path: '/v1/watchlist', body: { domain: 'a.test' } }, 11),
  not_found: () => ask({ path: '/v1/nothing' }),
  method_not_allowed: () => ask({ method: 'PATCH', path: '/v1/notifications' }),
  already_watched: async () => (await watch({ domain: 'twice.test' }), watch({ domain: 'twice.test' })),
  already_notified: async () => (await notify(HOOK), notify(HOOK)),
  delivery_pending: async () => post(`/v1/deliveries/${await own('dl')}/redeliver`, {}),
  precondition_failed: async () =>
    ask({
      ...{ method: 'PATCH', path: `/v1/watchlist/${await own('wl')}`, body: { paused: true } },
      headers: { 'if-match': '"another"' },
    }),
  payload_too_large: () => watch({ domain: 'a'.repeat(300_000) }),
  unsupported_media_type: () => post('/v1/watchlist', 'x', { headers: { 'content-type': 'text/plain' } }),
  domain_malformed: check('-a.test'),
  domain_is_ip: check('192.0.2.1'),
  domain_single_label: check('localhost'),
  domain_is_public_suffix: check('co.uk'),
  domain_private_suffix: check('someone.github.io'),
  domain_too_long: check(`${'a.'.repeat(130)}test`),
  label_too_long: check(`${'a'.repeat(64)}.test`),
  not_registrable: check('www.example.test'),
  tld_unsupported: check('example.nosuchtld'),
  interval_not_allowed: () => watch({ domain: 'a.test', interval_minutes: 7 }),
  too_many_domains: () =>
    free({ method: 'POST', path: '/v1/domains/check', body: { domains: Array<string>(21).fill('available.test') } }),
  too_many_removals: async () => {
    await watch({ domain: 'unlisted.test', tags: ['file'] });
    const path = '/v1/watchlist/import?mode=sync&scope_tag=file&max_removals=0';
    return post(path, 'domain\n', { headers: { 'content-type': 'text/csv' } });
  },
  idempotency_mismatch: async () => {
    const headers = { 'idempotency-key': 'one' };
    await watch({ domain: 'one.test' }, { headers });
    return watch({ domain: 'other.test' }, { headers });
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

describe('a code of the catalogue', () => {
  it.each(provoked)('can be provoked, and matches the catalogue: %s', async (code, provoke) => {
    const { status, title, retryable } = PROBLEMS[code];
    const type = `/problems/${code}`;
    const { body, ...answer } = await provoke();
    expect(body).toMatchObject({ code, status, title, retryable, type });
    expect(answer).toMatchObject({ status, headers: { 'content-type': 'application/problem+json' } });
  });

  it.each(Object.keys(PROBLEMS))('has a page: %s', async (code) => {
    const page = await ask({ path: `/problems/${code}`, key: null });
    expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
    expect(page.body['text']).toContain(`<code>${code}</code>`);
  });

  it('is provoked here or, where that is said, elsewhere', () => {
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

describe('a code that is thrown', () => {
  it('is in the catalogue', () => {
    const all = thrown();
    expect(all.length).toBeGreaterThan(40);
    const strange = all.filter(([, code]) => code !== 'given' && !isProblemCode(code) && !NOT_IN_API.includes(code));
    expect(strange).toEqual([]);
    const given = all.filter(([, code]) => code === 'given').map(([path]) => path);
    expect([...new Set(given)].sort()).toEqual(GIVEN);
  });
});
