import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestService, type TestService } from '../support/servers/test-service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ ROLE: 'api' });
});
afterAll(() => service.close());

describe('A path of its own beside the paths of ids', () => {
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

describe('A merge patch (RFC 7396)', () => {
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

describe('The root', () => {
  it('leads to the documentation', async () => {
    expect(await service.call({ path: '/', key: null })).toMatchObject({ status: 302, headers: { location: '/docs' } });
  });
});
