import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { NotificationService } from '../../support/servers/notification-service.js';
import { startTestService } from '../../support/servers/test-service.js';
import { TraceCollector } from '../../support/fakes/trace-collector.js';
import { ScriptedSender } from '../../support/fakes/scripted-sender.js';
import { ChannelSenderRegistry } from '../../../src/notifications/index.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const HOSTILE = [
  '00-00000000000000000000000000000000-00f067aa0ba902b7-01',
  `00-${TRACE.toUpperCase()}-${CALLER}-01`,
  `ff-${TRACE}-${CALLER}-01`,
  `00-${TRACE}-${CALLER}-01-${'x'.repeat(4_000)}`,
  'traceparent',
];

let collector: TraceCollector;
beforeAll(async () => {
  collector = await TraceCollector.start();
});
afterAll(() => collector.close());

describe('the trace of a request that finds a change', () => {
  beforeAll(async () => {
    const notifications = await NotificationService.start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    const { service } = notifications;
    await notifications.openChannel('https://hooks.example/');
    await service.call({ method: 'POST', path: '/v1/watchlist', body: { domain: 'available.test' } });
    const headers = { traceparent: `00-${TRACE}-${CALLER}-01` };
    await service.call({ path: '/v1/domains/check?domain=available.test', headers });
    for (const traceparent of HOSTILE) await service.call({ path: '/v1/me', headers: { traceparent } });
    await service.call({ path: '/v1/watchlist/wl_private' });
    await service.call({ path: '/v1/domains/check?domain=timeout.test' });
    expect(await notifications.deliverDue()).toBe(1);
    await notifications.close();
  });

  const inTrace = (name: string) => collector.named(name).find(({ traceId }) => traceId === TRACE);

  it('continues the caller’s, by its traceparent', () => {
    expect(inTrace('GET /v1/domains/check')).toMatchObject({
      parent: CALLER,
      attributes: { 'http.route': '/v1/domains/check', 'http.response.status_code': 200 },
    });
    expect(collector.paths[0]).toBe('/v1/traces');
    expect([...collector.services]).toEqual(['namewatch']);
  });

  it('has its lookup', () => {
    expect(inTrace('lookup')).toMatchObject({
      parent: inTrace('GET /v1/domains/check')?.spanId,
      attributes: { 'namewatch.domain': 'available.test', 'namewatch.outcome': 'absent' },
    });
  });

  it('has the delivery of its change, which another process may make', () => {
    expect(inTrace('deliver scripted')).toMatchObject({ attributes: { 'namewatch.attempt': 1 }, isFailed: false });
  });

  it('begins here when the traceparent is not one', () => {
    const requests = collector.named('GET /v1/me');
    expect(requests).toHaveLength(HOSTILE.length);
    for (const { traceId, parent } of requests) expect([traceId === TRACE, parent]).toEqual([false, undefined]);
    expect(new Set(requests.map(({ traceId }) => traceId)).size).toBe(HOSTILE.length);
  });

  it('names routes by their templates, and says which lookups failed', () => {
    expect(collector.named('GET /v1/watchlist/:id')).toHaveLength(1);
    expect(JSON.stringify(collector.spans)).not.toContain('wl_private');
    const [failed] = collector.spans.filter(({ isFailed }) => isFailed);
    expect(failed).toMatchObject({ name: 'lookup', attributes: { 'error.type': 'registry_timeout' } });
  });
});

describe('the trace of a request that adds a name', () => {
  it('has its first check, with the lookup and the delivery of its change', async () => {
    const service = await startTestService({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: 'all' });
    const sender = new ScriptedSender();
    service.app.get(ChannelSenderRegistry, { strict: false }).register(sender);
    const add = (path: string, body: object) => service.call({ method: 'POST', path, body });
    await add('/v1/notifications', { type: 'scripted', target: 'https://hooks.example/' });
    await add('/v1/watchlist', { domain: 'due--available.test' });
    await sender.sent.waitFor(1);
    await service.close();
    const check = collector
      .named('check')
      .find(({ attributes }) => attributes['namewatch.domain'] === 'due--available.test');
    const others = collector.spans.filter(({ parent }) => parent === check?.spanId).map(({ name }) => name);
    const added = collector.named('POST /v1/watchlist').find(({ spanId }) => spanId === check?.parent);
    expect([added?.traceId, added?.attributes['http.response.status_code']]).toEqual([check?.traceId, 201]);
    expect(check?.traceId).toBeDefined();
    expect(others.sort()).toEqual(['deliver scripted', 'lookup']);
    expect([...collector.services]).toContain('all');
  });
});

describe('without a setting of OpenTelemetry', () => {
  /** Prints how many modules of OpenTelemetry are resolved. An import rule keeps them out of all other files. */
  const program = `
    import { registerHooks } from 'node:module';
    const loaded = new Set();
    registerHooks({ resolve: (name, context, next) => {
      if (/open-?telemetry/.test(name)) loaded.add(name);
      return next(name, context);
    } });
    const { createTracer } = await import('./src/platform/tracing/create-tracer.ts');
    const { readConfig } = await import('./src/config/config.ts');
    await createTracer(readConfig({}));
    const before = loaded.size;
    await createTracer(readConfig({ OTEL_TRACES_EXPORTER: 'otlp' }));
    console.log(JSON.stringify([before, loaded.size > 3]));
    process.exit();`;

  it('loads nothing of it', () => {
    const printed = execFileSync(
      process.execPath,
      ['--import', './scripts/typescript.mjs', '--input-type=module', '-e', program],
      {
        encoding: 'utf8',
      },
    );
    expect(JSON.parse(printed)).toEqual([0, true]);
  });
});
