import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestService, type TestService } from '../support/service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ ROLE: 'api' });
});
afterAll(() => service.close());

const issue = (body: unknown, key = service.account.key) =>
  service.call({ method: 'POST', path: '/v1/keys', body, key });
const list = async (key = service.account.key) =>
  (await service.call({ path: '/v1/keys', key })).body['data'] as Record<string, unknown>[];

describe('keys over the API', () => {
  it('are issued with their text shown once, and listed without it', async () => {
    const { status, headers, body } = await issue({ name: 'deploy', scopes: ['watchlist:read'] });
    expect(status).toBe(201);
    expect(Object.keys(body)).toEqual(['id', 'name', 'scopes', 'expires_at', 'created_at', 'key']);
    expect(headers['location']).toBe(`/v1/keys/${String(body['id'])}`);
    const listed = (await list()).find(({ id }) => id === body['id']);
    expect(Object.keys(listed ?? {})).toEqual(['id', 'name', 'scopes', 'expires_at', 'created_at', 'last_used_at']);
    expect(JSON.stringify(await list())).not.toContain(String(body['key']));
  });

  it('may read, and no more, when nothing else is asked for', async () => {
    const { body } = await issue({ name: 'reader' });
    expect(body['scopes']).toEqual(['domains:read', 'watchlist:read', 'notifications:read']);
    const key = String(body['key']);
    expect((await service.call({ path: '/v1/watchlist', key })).status).toBe(200);
    expect((await service.call({ method: 'POST', path: '/v1/watchlist', body: {}, key })).status).toBe(403);
    expect((await service.call({ path: '/v1/keys', key })).status).toBe(403);
  });

  it('stop working when they expire', async () => {
    const expires_at = new Date(Date.now() + 700).toISOString();
    const { body } = await issue({ name: 'brief', expires_at });
    expect(body['expires_at']).toBe(expires_at);
    const key = String(body['key']);
    expect((await service.call({ path: '/v1/watchlist', key })).status).toBe(200);
    const asked = performance.now();
    while ((await service.call({ path: '/v1/watchlist', key })).status === 200)
      expect(performance.now() - asked).toBeLessThan(2_000);
  });

  it('are taken back for good', async () => {
    const { body } = await issue({ name: 'gone' });
    const path = `/v1/keys/${String(body['id'])}`;
    expect((await service.call({ method: 'DELETE', path })).status).toBe(204);
    expect((await list()).map(({ id }) => id)).not.toContain(body['id']);
  });

  it('of another account are not there', async () => {
    const other = await service.openAccount();
    const { body } = await issue({ name: 'mine' });
    const path = `/v1/keys/${String(body['id'])}`;
    expect((await service.call({ method: 'DELETE', path, key: other.key })).status).toBe(404);
    expect((await list(other.key)).map(({ id }) => id)).not.toContain(body['id']);
    expect((await service.call({ method: 'DELETE', path: '/v1/keys/1' })).status).toBe(404);
  });

  it.each<[string, unknown, string]>([
    ['without a name', {}, '/name'],
    ['with an empty name', { name: '' }, '/name'],
    ['with an unknown scope', { name: 'x', scopes: ['everything'] }, '/scopes'],
    ['with no scope', { name: 'x', scopes: [] }, '/scopes'],
    ['with a scope twice', { name: 'x', scopes: ['admin', 'admin'] }, '/scopes'],
    ['that has expired already', { name: 'x', expires_at: '2020-01-01T00:00:00Z' }, '/expires_at'],
    ['that expires on a bare day', { name: 'x', expires_at: '2099-01-01' }, '/expires_at'],
    ['that expires at no time', { name: 'x', expires_at: '2099-13-45T00:00:00Z' }, '/expires_at'],
    ['with a number for a time', { name: 'x', expires_at: 4_102_444_800 }, '/expires_at'],
    ['that brings its own id', { name: 'x', id: 'key_1' }, '/id'],
  ])('are refused %s', async (_, body, pointer) => {
    expect(await issue(body)).toMatchObject({ status: 400, body: { errors: [{ pointer }] } });
  });
});
