import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { ApiDocument } from '../../support/documents/api-document.js';
import { running } from '../../support/running.js';
import { type Answer, type Call, startTestService } from '../../support/servers/test-service.js';

const MISSING = '0'.repeat(26);

const service = running(() => startTestService({ ROLE: 'api' }));

const add = (body: unknown, more: Partial<Call> = {}) =>
  service.call({ method: 'POST', path: '/v1/watchlist', body, ...more });
const watch = async (domain: string) => String((await add({ domain })).body['id']);
const watched = async () => {
  const { body } = await service.call({ path: '/v1/watchlist?per_page=100' });
  return (body['data'] as { domain: string }[]).map(({ domain }) => domain);
};
const notKnown = (name: string) => ({
  status: 400,
  body: {
    code: 'invalid_request',
    errors: [{ pointer: `#query/${name}`, code: 'unknown_field', message: `${name} is not known here` }],
  },
});

describe('an unknown query parameter', () => {
  it('is refused by every operation that requires a key, as the API document says', async () => {
    const document = ApiDocument.committed();
    const asking = document.operations.filter(({ security }) => security.length > 0);
    expect(asking.length).toBeGreaterThanOrEqual(9);
    for (const operation of asking) {
      const { operationId, method } = operation;
      const path = `${operation.path.replace('{id}', `wl_${MISSING}`)}?domain=a.test&foo=1`;
      const [sent] = document.examples(operation).bodies;
      const { status, body } = await service.call({ method, path, ...(sent === undefined ? {} : { body: sent }) });
      const expected = operation.path.includes('{id}') ? [400, 404] : [400]; // the id of nothing may be found out first
      expect(expected.map((one) => ({ operationId, status: one }))).toContainEqual({ operationId, status });
      if (status === 400) expect(JSON.stringify(body['errors'])).toContain('#query/foo');
      expect(document.problemCodes(operation)).toContain('invalid_request');
    }
  });

  it.each([
    ['foo', 'foo'],
    ['__pr%6fto__', '__proto__'],
  ])('is refused and leaves the watchlist unchanged: %s', async (sent, name) => {
    const id = await watch(`${name.replaceAll('_', '')}-kept.test`);
    const before = await watched();
    expect(await service.call({ path: `/v1/notifications?${sent}=1` })).toMatchObject(notKnown(name));
    expect(await add({ domain: 'unwanted.test' }, { path: `/v1/watchlist?${sent}=1` })).toMatchObject(notKnown(name));
    const removal = await service.call({ method: 'DELETE', path: `/v1/watchlist/${id}?${sent}=1` });
    expect(removal).toMatchObject(notKnown(name));
    expect(await watched()).toEqual(before);
  });

  it('is ignored by health probes, problem pages and the documentation', async () => {
    for (const path of ['/livez?at=1', '/problems/not_found?from=mail', '/docs/?x=1'])
      expect([path, (await service.call({ path, key: null })).status]).toEqual([path, 200]);
  });
});

describe('an id', () => {
  it.each([300, 15_000])('gets 404 if it has %d characters', async (length) => {
    const long = 'a'.repeat(length);
    for (const path of [`/v1/watchlist/${long}`, `/v1/keys/${long}`, `/v1/notifications/${long}`]) {
      const answer = await service.call({ method: 'DELETE', path });
      expect(answer).toMatchObject({ status: 404, body: { code: 'not_found', instance: path } });
      expect((await service.call({ method: 'DELETE', path, key: null })).status).toBe(401);
    }
  });

  it('gets 404 if it does not exist, but errors of the body are reported first', async () => {
    const call = { method: 'POST', path: `/v1/notifications/nc_${MISSING}/rotate-secret` };
    for (const body of ['{bad', '[]', '{"x":1}', '[['.repeat(50)])
      expect(await service.call({ ...call, body })).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(await service.call({ ...call, body: {} })).toMatchObject({ status: 404, body: { code: 'not_found' } });
    const headers = { 'content-type': 'text/plain' };
    expect((await service.call({ ...call, body: '{bad', headers })).status).toBe(415);
  });

  it('gets 400 if it exists and the body is malformed', async () => {
    const opened = await service.call({
      method: 'POST',
      path: '/v1/notifications',
      body: { type: 'webhook', target: 'https://hooks.example.com/edges' },
    });
    const path = `/v1/notifications/${String(opened.body['id'])}`;
    const errors = [{ pointer: '', code: 'malformed', message: 'The body is not valid JSON.' }];
    for (const [method, at] of [
      ['PATCH', path],
      ['POST', `${path}/rotate-secret`],
      ['POST', `${path}/test`],
    ] as const) {
      expect(await service.call({ method, path: at, body: '{bad' })).toMatchObject({ status: 400, body: { errors } });
      expect(await service.call({ method, path: at, body: 'null' })).toMatchObject({ status: 400 });
    }
    expect(await service.call({ method: 'DELETE', path, body: '{bad' })).toMatchObject({
      status: 400,
      body: { errors },
    });
    expect((await service.call({ method: 'DELETE', path })).status).toBe(204);
  });
});

describe('a request body', () => {
  const body = '{"domain":"encoded.test"}';

  it.each([
    ['application/json; charset=utf-16', Buffer.from(body, 'utf16le')],
    ['application/json;charset="ISO-8859-1"', body],
    ['application/json; charset=utf-8; charset=utf-16', body],
    ['application/json; Charset=UTF-16LE', body],
  ])('gets 415 with this Content-Type: %s', async (type, bytes) => {
    const answer = await add(bytes, { headers: { 'content-type': type } });
    expect(answer).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
  });

  it.each(['gzip', 'identity, gzip', 'x-unknown'])('gets 415 with this Content-Encoding: %s', async (encoding) => {
    for (const bytes of [gzipSync(body), body]) {
      const answer = await add(bytes, { headers: { 'content-encoding': encoding } });
      expect(answer).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
      expect(answer.headers['accept-encoding']).toBe('identity');
    }
  });

  it('gets 400 if its bytes are not valid UTF-8', async () => {
    const latin = Buffer.from('{"domain":"m\u00fcnchen.test"}', 'latin1');
    const errors = [{ pointer: '', code: 'malformed', message: 'The body is not valid UTF-8.' }];
    expect(await add(latin)).toMatchObject({ status: 400, body: { errors } });
  });

  it('gets 413 if it is too large, even with an unsupported encoding', async () => {
    const answer = await add('x'.repeat(300_000), { headers: { 'content-encoding': 'gzip' } });
    expect(answer.status).toBe(413);
  });

  it.each([
    { 'content-type': 'application/json; charset=utf-8' },
    { 'content-type': 'application/json;charset="UTF-8"' },
    { 'content-encoding': 'identity' },
  ])('is accepted with these headers: %j', async (headers) => {
    const domain = `plain-${Object.values(headers)[0]?.replaceAll(/[^a-z]/g, '').length}-${Object.keys(headers)[0]}.test`;
    expect((await add({ domain }, { headers })).status).toBe(201);
  });
});

const CLOSED = "default-src 'none'; frame-ancestors 'none'";

describe('every answer', () => {
  it.each<[string, Call, number]>([
    ['a result', { path: '/v1/domains/check?domain=available.test' }, 200],
    ['an error answer', { path: '/v1/watchlist', key: null }, 401],
    ['an unknown path', { path: '/nothing' }, 404],
    ['a liveness check', { path: '/livez', key: null }, 200],
    ['a malformed URL', { path: '/v1/%', key: null }, 400],
  ])('has headers that forbid browsers to run, embed or cache it: %s', async (_what, call, status) => {
    const answer = await service.call(call);
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({
      'content-security-policy': CLOSED,
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
    });
  });

  it('has no CORS headers, so that pages of other origins cannot read it', async () => {
    const headers = { origin: 'https://elsewhere.example', 'access-control-request-method': 'GET' };
    const answers: Answer[] = [
      await service.call({ path: '/v1/watchlist', headers }),
      await service.call({ method: 'OPTIONS', path: '/v1/watchlist', headers, key: null }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 405]);
    for (const { headers: sent } of answers)
      expect(Object.keys(sent).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('the content security policy of pages', () => {
  it('allows the inline style of a problem page by its hash', async () => {
    const page = await service.call({ path: '/problems/rate_limited', key: null });
    const style = /<style>([^<]*)<\/style>/.exec(String(page.body['text']))?.[1] ?? '';
    const digest = createHash('sha256').update(style).digest('base64');
    expect(page.headers['content-security-policy']).toContain(`style-src 'sha256-${digest}'`);
    expect(page.body['text']).not.toContain(' style=');
  });

  it('lets /docs run scripts from, and send requests to, only its own origin', async () => {
    for (const path of ['/docs', '/docs/swagger-ui-bundle.js', '/docs/swagger-ui-init.js']) {
      const { status, headers } = await service.call({ path, key: null });
      expect(status).toBe(200);
      const policy = headers['content-security-policy'] ?? '';
      for (const part of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"])
        expect(policy).toContain(part);
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
  });
});
