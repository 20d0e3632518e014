import { describe, expect, it } from '@jest/globals';
import { MetricsServer } from '../../../src/platform/metrics/metrics-server.js';
import { running } from '../../support/running.js';
import { startTestService } from '../../support/servers/test-service.js';

/** No scheduler claims due names. */
const SETTINGS = { METRICS_PORT: '0', HOST: '0.0.0.0', ROLE: 'api' };
const service = running(() => startTestService(SETTINGS));

const scrape = async (path = '/metrics') => {
  const { port } = service.app.get(MetricsServer, { strict: false });
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
};
/** Returns the value of the first series that has these labels. */
const valueOf = async (metric: string, labels = '') => {
  const { text } = await scrape();
  return Number(new RegExp(`^${metric}(?:\\{${labels}[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1]);
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

  it('are served on 127.0.0.1 only, even if the API listens on 0.0.0.0', () => {
    expect(service.app.get(MetricsServer, { strict: false }).address).toBe('127.0.0.1');
  });

  it('report how many names are due for a check, and how long the oldest has waited', async () => {
    expect(await valueOf('namewatch_oldest_overdue_seconds')).toBe(0);
    for (const domain of ['one--registered.test', 'two--registered.test'])
      await service.call({ method: 'POST', path: '/v1/watchlist', body: { domain } });
    await service.query(
      `update watched_names set next_check_at = now() - case domain when 'two--registered.test' then interval '5 minutes'
         else interval '5 seconds' end`,
    );
    expect(await valueOf('namewatch_oldest_overdue_seconds')).toBeGreaterThanOrEqual(300);
    expect(await valueOf('namewatch_names_due', 'operator="sandbox"')).toBe(2);
    expect(await valueOf('namewatch_names_overdue', 'operator="sandbox"')).toBe(1);
    expect(await valueOf('namewatch_watch_entries')).toBe(2);
    expect(await valueOf('namewatch_checks_under_way')).toBe(0);
  });

  it('contain no domain name and no account id', async () => {
    const { text } = await scrape();
    expect(text).not.toContain('.test');
    expect(text).not.toContain(service.account.id);
  });

  it('count lookups by operator, protocol and outcome', async () => {
    for (const name of ['registered', 'available', 'timeout'])
      await service.call({ path: `/v1/domains/check?domain=${name}.test` });
    const { text } = await scrape();
    const sandbox = 'namewatch_lookups_total{operator="sandbox",protocol="sandbox",outcome=';
    for (const outcome of ['found', 'absent', 'registry_timeout'])
      expect(text).toContain(`${sandbox}"${outcome}"} 1\n`);
    expect(await valueOf('namewatch_lookup_duration_seconds_count')).toBe(3);
  });

  it('group requests by route template, so that many paths add only a few lines', async () => {
    const before = (await scrape()).text.length;
    for (let guess = 0; guess < 200; guess += 1) {
      await service.call({ path: `/v1/watchlist/ent_${guess}` });
      await service.call({ path: `/${guess}/%22%7D%0A`, key: null });
    }
    const { text } = await scrape();
    expect(text).toContain(
      'namewatch_http_request_duration_seconds_count{route="/v1/watchlist/:id",method="GET",status="4xx"} 200',
    );
    expect(text).toContain(
      'namewatch_http_request_duration_seconds_count{route="unknown",method="GET",status="4xx"} 201',
    );
    expect(await valueOf('namewatch_http_problems_total', 'code="not_found"')).toBe(401);
    expect(text.length - before).toBeLessThan(5_000);
  });
});
