import { beforeAll, describe, expect, it } from '@jest/globals';
import { running } from '../../support/running.js';
import { startTestService } from '../../support/servers/test-service.js';

const service = running(() => startTestService({ ROLE: 'api' }));
let entry: string;
let channel: string;

beforeAll(async () => {
  const created = await service.call({ method: 'POST', path: '/v1/watchlist', body: { domain: 'tagged.test' } });
  entry = `/v1/watchlist/${String(created.body['id'])}`;
  const hook = { type: 'webhook', target: 'https://hooks.example.test/', headers: { 'x-token': 'first' } };
  const opened = await service.call({ method: 'POST', path: '/v1/notifications', body: hook });
  channel = `/v1/notifications/${String(opened.body['id'])}`;
});

const read = (path: string, tag?: string) =>
  service.call({ path, ...(tag === undefined ? {} : { headers: { 'if-none-match': tag } }) });
const tagOf = async (path: string) => (await read(path)).headers['etag'] ?? '';
const change = (path: string, body: object, tag?: string) =>
  service.call({ method: 'PATCH', path, body, ...(tag === undefined ? {} : { headers: { 'if-match': tag } }) });
/** As a lookup leaves it. */
const lookUp = () => service.query(`update watched_names set last_checked_at = now() where domain = 'tagged.test'`);

describe('a GET response', () => {
  it('has an ETag, and is a 304 without a body if the request names that ETag', async () => {
    for (const path of [entry, channel, '/v1/watchlist', '/v1/notifications', `${channel}/deliveries`, '/v1/keys']) {
      const first = await read(path);
      const tag = first.headers['etag'] ?? '';
      expect(tag).toMatch(/^"[\w.-]{20,}"$/);
      expect(first.headers['cache-control']).toBe(
        /keys|notifications(?!.*deliveries)/.test(path) ? 'no-store' : 'private, no-cache',
      );
      for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
        const again = await read(path, known);
        expect({ path, known, status: again.status }).toEqual({ path, known, status: 304 });
        expect(again.body).toEqual({ text: '' });
        expect(again.headers).toMatchObject({ etag: tag, 'x-request-id': expect.any(String) });
        expect(again.headers['content-type']).toBeUndefined();
      }
      expect((await read(path, '"other"')).body).toEqual(first.body);
    }
  });

  it('has a different ETag after a lookup has changed the entry', async () => {
    const before = await tagOf(entry);
    await lookUp();
    const after = await tagOf(entry);
    expect(after).not.toBe(before);
    expect((await read(entry, before)).status).toBe(200);
    expect(await tagOf(entry)).toBe(after);
  });

  it('has no ETag if it is an error, a domain check or a public page', async () => {
    const paths = ['/v1/watchlist?page=0', '/v1/domains/check?domain=available.test', '/livez', '/problems/not_found'];
    for (const path of paths) expect((await read(path, '*')).headers['etag']).toBeUndefined();
  });
});

describe('a PATCH with If-Match', () => {
  it('succeeds if no other client has changed the resource, and returns the new ETag', async () => {
    const changed = await change(entry, { note: 'first' }, await tagOf(entry));
    expect(changed).toMatchObject({ status: 200, body: { note: 'first' } });
    expect(changed.headers['etag']).toBe(await tagOf(entry));
    const switched = await change(channel, { tags: ['brand'] }, `W/"x", ${await tagOf(channel)}`);
    expect(switched).toMatchObject({ status: 200, body: { tags: ['brand'] } });
    expect(switched.headers['etag']).toBe(await tagOf(channel));
  });

  it.each([
    ['an entry', () => entry, { note: 'theirs' }, { note: 'mine' }],
    ['a channel', () => channel, { tags: ['theirs'] }, { tags: ['mine'] }],
    ['the value of a header', () => channel, { headers: { 'x-token': 'second' } }, { tags: ['mine'] }],
  ])('is refused with 412 after another client has changed %s', async (_what, path, theirs, mine) => {
    const tag = await tagOf(path());
    expect((await change(path(), theirs)).status).toBe(200);
    const before = (await read(path())).body;
    const refused = await change(path(), mine, tag);
    expect(refused).toMatchObject({ status: 412, body: { code: 'precondition_failed', retryable: false } });
    expect((await read(path())).body).toEqual(before);
    for (const useless of ['"other"', 'nonsense', `W/${await tagOf(path())}`])
      expect((await change(path(), mine, useless)).status).toBe(412);
    expect((await change(path(), mine, '*')).status).toBe(200);
  });

  it('succeeds for only one of two simultaneous requests', async () => {
    const tag = await tagOf(entry);
    const both = await Promise.all([change(entry, { note: 'one' }, tag), change(entry, { note: 'two' }, tag)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
  });

  it('succeeds if only a lookup has changed the entry since the ETag was read', async () => {
    const tag = await tagOf(entry);
    await lookUp();
    expect((await change(entry, { note: 'after a lookup' }, tag)).status).toBe(200);
  });

  it('gets 404 for an unknown id and 400 for an invalid body, instead of 412', async () => {
    const headers = { 'if-match': '"other"' };
    const missing = '/v1/watchlist/wl_01jd6z0v8q3m4n5p6r7s8t9vwx';
    expect((await service.call({ method: 'PATCH', path: missing, body: { note: 'x' }, headers })).status).toBe(404);
    expect((await service.call({ method: 'PATCH', path: entry, body: { note: 7 }, headers })).status).toBe(400);
  });
});
