import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Call, startTestService, type TestService } from '../support/servers/test-service.js';

const CSV = 'text/csv';
const NDJSON = 'application/x-ndjson';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ ROLE: 'api' });
});
afterAll(() => service.close());

const anAccount = async () => (await service.openAccount()).key;
const aPost = (path: string, body: object): Call => ({ method: 'POST', path, body });
const send = (file: string, { key = service.account.key, type = CSV, accept = '*/*' } = {}) =>
  service.call({
    ...{ method: 'POST', path: '/v1/watchlist/import', body: file, key },
    headers: { 'content-type': type, accept },
  });

describe('a text that PostgreSQL does not take', () => {
  it.each<Call>([
    { path: '/v1/watchlist?domain=a%00' },
    { path: '/v1/watchlist?domain=%1Fa' },
    ...['\u0000', 'a\nb', '\ud800'].flatMap((text) => [
      aPost('/v1/keys', { name: text }),
      aPost('/v1/watchlist', { domain: 'a.test', tags: [text] }),
      aPost('/v1/notifications', { type: 'email', target: 'a@example.test', tags: [text] }),
    ]),
    aPost('/v1/watchlist', { domain: 'a.test', note: 'half of \udc00' }),
  ])('is refused: %j', async (call) => {
    expect(await service.call(call)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  it('is no emoji', async () => {
    const body = { domain: 'emoji.test', tags: ['🙂'], note: '🙂' };
    expect((await service.call(aPost('/v1/watchlist', body))).status).toBe(201);
    expect((await service.call(aPost('/v1/keys', { name: '🔑' }))).status).toBe(201);
  });

  it.each([
    aPost('/v1/watchlist', { domain: 'tags.test' }),
    aPost('/v1/notifications', { type: 'email', target: 'tags@example.test' }),
  ])('is no tag that PostgreSQL writes in a special way: %j', async ({ path, body }) => {
    const tags = ['null', ' ', ' a ', 'b, c', '{d}', '"e"', String.raw`\f`];
    const { body: added } = await service.call(aPost(path, { ...(body as object), tags }));
    const one = `${path}/${String(added['id'])}`;
    expect((await service.call({ path: one })).body['tags']).toEqual(tags);
    await service.call({ method: 'PATCH', path: one, body: { tags: tags.toReversed() } });
    expect((await service.call({ path: one })).body['tags']).toEqual(tags.toReversed());
  });
});

describe('an import', () => {
  it('is not spoilt by a line that no database or stack could bear', async () => {
    const key = await anAccount();
    const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
    const lines = [
      '{"domain":"a.test","note":"\\ud83d\\ude42"}',
      ...['{"domain":"b.test","note":"\\ud800"}', '{"domain":"c.test","tags":["\\udc00x"]}'],
      ...[`{"domain":"d.test","note":${deep}}`, `{"domain":"e.test","x":${deep}}`, '{"domain":"f.test"}'],
    ];
    const { status, body } = await send(lines.join('\n'), { key, type: NDJSON });
    expect(status).toBe(200);
    expect(body['errors']).toMatchObject([2, 3, 4, 5].map((line) => ({ line, code: 'invalid_request' })));
    const { body: list } = await service.call({ path: '/v1/watchlist?sort=domain', key });
    expect(list['data']).toMatchObject([{ domain: 'a.test' }, { domain: 'f.test' }]);
  });

  it('waits for its turn: an account sends one at a time', async () => {
    const key = await anAccount();
    const file = `domain\n${Array.from({ length: 2_000 }, (_, n) => `n${n}.test`).join('\n')}`;
    const [first, second, other] = await Promise.all([send(file, { key }), send(file, { key }), send(file)]);
    expect([first.status, other.status]).toEqual([200, 200]);
    expect(second).toMatchObject({ status: 429, body: { code: 'too_many_concurrent_requests', retryable: true } });
    expect(second.headers['retry-after']).toBe('1');
    expect((await send(file, { key, accept: NDJSON })).status).toBe(200);
    expect((await send(file, { key })).body).toMatchObject({ existing: 2_000 });
  });
});
