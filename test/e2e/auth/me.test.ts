import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiDocument } from '../../support/documents/api-document.js';
import { startTestService, type TestService } from '../../support/servers/test-service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ ROLE: 'api' });
});
afterAll(() => service.close());

const me = (key?: string) => service.call({ path: '/v1/me', ...(key !== undefined && { key }) });

describe('who asks', () => {
  it('shows the account, its limits and usage, and the key', async () => {
    const { id, key } = await service.openAccount('free');
    await service.call({ method: 'POST', path: '/v1/watchlist', body: { domain: 'a.test' }, key });
    const { status, body } = await me(key);
    expect(status).toBe(200);
    expect(body).toEqual({
      account: { id, name: 'test', plan: 'free', created_at: expect.any(String) },
      limits: {
        ...{ intervals: [720, 1440], default_interval: 1440, entries: 10, channels: 2, bulk: 20, history_days: 90 },
        requests_per_minute: expect.any(Number),
      },
      use: { entries: 1, channels: 0 },
      key: expect.objectContaining({ name: 'first', scopes: ['admin'], expires_at: null }),
      identity: null,
    });
    expect(JSON.stringify(body)).not.toContain(key.slice(30));
  });

  it('may ask with any key', async () => {
    for (const scope of ['domains:read', 'notifications:write']) {
      const issued = await service.call({ method: 'POST', path: '/v1/keys', body: { name: scope, scopes: [scope] } });
      const { status, body } = await me(String(issued.body['key']));
      expect({ status, key: body['key'] }).toMatchObject({ status: 200, key: { name: scope, scopes: [scope] } });
    }
    expect((await service.call({ path: '/v1/me', key: null })).status).toBe(401);
    expect((await service.call({ path: '/v1/me?full=1' })).status).toBe(400);
  });

  it('is answered as the document says', async () => {
    const document = new ApiDocument((await service.call({ path: '/openapi.json', key: null })).body);
    expect(document.objections(document.operation('getMe'), await me())).toEqual([]);
  });
});
