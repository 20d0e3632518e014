import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { budgetsFile } from '../../support/builders/budgets-file.js';
import { eventually } from '../../support/eventually.js';
import { FakeRegistry } from '../../support/fakes/fake-registry.js';
import { registryFaults } from '../../support/fakes/registry-faults.js';
import {
  type Answer,
  serviceDatabase,
  startTestService,
  type TestService,
} from '../../support/servers/test-service.js';
import { running } from '../../support/running.js';

const RATE = 5;
const BURST = 5;

describe('two services with one database', () => {
  const busy = running(() => FakeRegistry.start());
  const moody = running(() => FakeRegistry.start());
  let services: TestService[];
  let settings: Record<string, string>;

  beforeAll(async () => {
    const operators = {
      busy: { hosts: [busy.host], per_second: RATE, burst: BURST, concurrency: 20 },
      moody: { hosts: [moody.host], per_second: 0 },
    };
    settings = {
      ROLE: 'api',
      DATABASE_URL: await serviceDatabase(),
      RDAP_OVERRIDES: `busy=${busy.url},moody=${moody.url}`,
      LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8',
      LOOKUP_BUDGETS_FILE: budgetsFile({ operators }),
    };
    services = [await startTestService(settings), await startTestService(settings)];
  });
  afterAll(async () => {
    await Promise.all(services.map((service) => service.close()));
  });

  const check = (number: number, domain: string): Promise<Answer> => {
    const service = services[number % 2];
    if (!service) throw new Error('no such service');
    return checkBy(service, domain);
  };

  it('stay within the budget of one, and send Retry-After for the rest', async () => {
    const began = performance.now();
    const names = Array.from({ length: 60 }, (_, number) => `name-${number}.busy`);
    for (const name of names) busy.holds(name); // an absence would be asked about twice
    const answers = await Promise.all(names.map((name, number) => check(number, name)));
    const seconds = (performance.now() - began) / 1_000;
    const asked = names.reduce((sum, name) => sum + busy.queries(name), 0);
    expect(asked).toBeLessThanOrEqual(BURST + RATE * seconds);
    expect(asked).toBeGreaterThanOrEqual(BURST + RATE);
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(asked);
    const late = answers.filter((answer) => answer.status === 503);
    expect(late).toHaveLength(60 - asked);
    for (const answer of late) {
      expect(answer.body).toMatchObject({ code: 'registry_throttled', registry: busy.host });
      expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    }
  });

  it('both respect the Retry-After that one received, as does a service started later', async () => {
    moody.says('busy.moody', registryFaults.throttled('300'));
    expect(await check(0, 'busy.moody')).toMatchObject({ status: 503 });
    await eventually(
      () => check(1, `other-${Math.floor(performance.now())}.moody`),
      (answer) => answer.status === 503,
    );
    const asked = moody.queries('later.moody');
    const restarted = await startTestService(settings);
    expect(await checkBy(restarted, 'later.moody')).toMatchObject({
      status: 503,
      body: { code: 'registry_throttled' },
    });
    expect(moody.queries('later.moody')).toBe(asked);
    await restarted.close();
  });
});

function checkBy(service: TestService, domain: string): Promise<Answer> {
  return service.call({ path: `/v1/domains/check?domain=${domain}` });
}
