import { beforeAll, describe, expect, it } from '@jest/globals';
import { NotificationService } from '../../support/servers/notification-service.js';
import { startTestService } from '../../support/servers/test-service.js';
import { spans, spansNamed } from '../../support/fakes/recorded-traces.js';
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

describe('the trace of a request that finds a change', () => {
  beforeAll(async () => {
    const notifications = await NotificationService.start({});
    const { service } = notifications;
    await notifications.openChannel('https://hooks.example/');
    await service.call({
      method: 'POST',
      path: '/v1/watchlist',
      body: { domain: 'available.test', notify_current: true },
    });
    const headers = { traceparent: `00-${TRACE}-${CALLER}-01` };
    await service.call({ path: '/v1/domains/check?domain=available.test', headers });
    for (const traceparent of HOSTILE) await service.call({ path: '/v1/me', headers: { traceparent } });
    await service.call({ path: '/v1/watchlist/wl_private' });
    await service.call({ path: '/v1/domains/check?domain=timeout.test' });
    expect(await notifications.deliverDue()).toBe(1);
    await notifications.close();
  });

  const inTrace = (name: string) => spansNamed(name).find(({ traceId }) => traceId === TRACE);

  it('continues the trace in the caller’s traceparent header', () => {
    expect(inTrace('GET /v1/domains/check')).toMatchObject({
      parent: CALLER,
      attributes: { 'http.route': '/v1/domains/check', 'http.response.status_code': 200 },
    });
  });

  it('includes the lookup of the domain name', () => {
    expect(inTrace('lookup')).toMatchObject({
      parent: inTrace('GET /v1/domains/check')?.spanId,
      attributes: { 'namewatch.domain': 'available.test', 'namewatch.outcome': 'absent' },
    });
  });

  it('includes the later delivery of the change', () => {
    expect(inTrace('deliver scripted')).toMatchObject({ attributes: { 'namewatch.attempt': 1 }, isFailed: false });
  });

  it('is a new one if the traceparent header is invalid', () => {
    const requests = spansNamed('GET /v1/me');
    expect(requests).toHaveLength(HOSTILE.length);
    for (const { traceId, parent } of requests) expect([traceId === TRACE, parent]).toEqual([false, undefined]);
    expect(new Set(requests.map(({ traceId }) => traceId)).size).toBe(HOSTILE.length);
  });

  it('names routes by their templates, and marks failed lookups with the error', () => {
    expect(spansNamed('GET /v1/watchlist/:id')).toHaveLength(1);
    expect(JSON.stringify(spans)).not.toContain('wl_private');
    const [failed] = spans.filter(({ isFailed }) => isFailed);
    expect(failed).toMatchObject({ name: 'lookup', attributes: { 'error.type': 'registry_timeout' } });
  });
});

describe('the trace of a request that adds a name', () => {
  it('includes the name’s first check, with the lookup and the delivery of the change', async () => {
    const service = await startTestService();
    const sender = new ScriptedSender();
    service.app.get(ChannelSenderRegistry, { strict: false }).register(sender);
    const add = (path: string, body: object) => service.call({ method: 'POST', path, body });
    await add('/v1/notifications', { type: 'scripted', target: 'https://hooks.example/' });
    await add('/v1/watchlist', { domain: 'due--available.test', notify_current: true });
    await sender.sent.waitFor(1);
    await service.close();
    const check = spansNamed('check').find(
      ({ attributes }) => attributes['namewatch.domain'] === 'due--available.test',
    );
    const others = spans.filter(({ parent }) => parent === check?.spanId).map(({ name }) => name);
    const added = spansNamed('POST /v1/watchlist').find(({ spanId }) => spanId === check?.parent);
    expect([added?.traceId, added?.attributes['http.response.status_code']]).toEqual([check?.traceId, 201]);
    expect(check?.traceId).toBeDefined();
    expect(others.sort()).toEqual(['deliver scripted', 'lookup']);
  });
});
