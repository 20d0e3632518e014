import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { MetricsServer } from '../../../src/platform/metrics/metrics-server.js';
import { startTestService, type TestService } from '../../support/servers/test-service.js';

let service: TestService;
let database: pg.Client;
beforeAll(async () => {
  service = await startTestService({ METRICS_PORT: '0', HOST: '0.0.0.0', ROLE: 'api' }); // no scheduler claims due names
  database = new pg.Client(service.databaseUrl);
  await database.connect();
});
afterAll(async () => {
  await service.close();
  await database.end();
});

const scrape = async (path = '/metrics') => {
  const { port } = service.app.get(MetricsServer, { strict: false });
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
};
const valueOf = async (metric: string) => {
  const { text } = await scrape();
  return Number(new RegExp(`^${metric}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1]);
};

describe('the metrics', () => {
  it('are served in the Prometheus format, on a separate port', async () => {
    const { status, type, text } = await scrape();
    expect([status, type]).toEqual([200, expect.stringContaining('text/plain')]);
    expect(text).toMatch(/^namewatch_build_info\{version="[^"]+",role="api"\} 1$/m);
    expect(text).toContain('process_resident_memory_bytes');
    expect((await scrape('/v1/watchlist')).status).toBe(404);
    expect((await service.call({ path: '/metrics' })).status).toBe(404);
  });

  it('listen on loopback only, wherever the API listens', () => {
    expect(service.app.get(MetricsServer, { strict: false }).address).toBe('127.0.0.1');
  });

  it('report how long the most overdue name has been due', async () => {
    expect(await valueOf('namewatch_oldest_overdue_seconds')).toBe(0);
    for (const domain of ['one--registered.test', 'two--registered.test'])
      await service.call({ method: 'POST', path: '/v1/watchlist', body: { domain } });
    await database.query(
      `update watched_names set next_check_at = now() - interval '5 minutes' where domain = 'two--registered.test'`,
    );
    expect(await valueOf('namewatch_oldest_overdue_seconds')).toBeGreaterThanOrEqual(300);
    expect(await valueOf('namewatch_looks_under_way')).toBe(0);
  });

  it('contain no domain and no account', async () => {
    const { text } = await scrape();
    expect(text).not.toContain('.test');
    expect(text).not.toContain(service.account.id);
  });
});
