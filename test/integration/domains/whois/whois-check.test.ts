import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FakeWhois, saying, whoisFaults } from '../../../support/fakes/fake-whois.js';
import { startTestService, type TestService } from '../../../support/servers/test-service.js';

let registry: FakeWhois;
let service: TestService;

beforeAll(async () => {
  registry = await FakeWhois.start();
  service = await startTestService({ WHOIS_OVERRIDES: `lan=${registry.host}`, LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8' });
});
afterAll(async () => {
  await service.close();
  await registry.stop();
});

const check = (domain: string) => service.call({ path: `/v1/domains/check?domain=${encodeURIComponent(domain)}` });

describe('a check of a name under a TLD with WHOIS only', () => {
  it('returns what the registry says', async () => {
    registry.holds('example.lan', '2099-06-01T12:00:00Z');
    expect(await check('example.lan')).toMatchObject({
      status: 200,
      body: { available: false, status: 'registered', expires_at: '2099-06-01T12:00:00.000Z' },
    });
    expect(await check('bücher.lan')).toMatchObject({
      status: 200,
      body: { domain: 'xn--bcher-kva.lan', available: true, status: 'available', expires_at: null },
    });
    expect(registry.queries.at(-1)).toBe('xn--bcher-kva.lan');
  });

  it('reports a reserved name', async () => {
    registry.says('reserved.lan', saying(['Domain: reserved.lan', 'Status: reserved']));
    expect(await check('reserved.lan')).toMatchObject({ status: 200, body: { available: false, status: 'reserved' } });
  });

  it('is an error when the registry’s answer is unusable', async () => {
    registry.says('busy.lan', saying('Query limit exceeded, try again in 30 seconds'));
    registry.says('gone.lan', whoisFaults.hangsUp);
    registry.says('odd.lan', saying('OK! You win'));
    expect(await check('gone.lan')).toMatchObject({ status: 502, body: { code: 'registry_unreachable' } });
    expect(await check('odd.lan')).toMatchObject({ status: 502, body: { code: 'registry_answer_unusable' } });
    const busy = await check('busy.lan');
    expect(busy).toMatchObject({ status: 503, body: { code: 'registry_throttled', registry: registry.host } });
    expect(busy.headers['retry-after']).toBe('30');
  });
});
