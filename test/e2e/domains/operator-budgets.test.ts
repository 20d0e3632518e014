import { beforeAll, describe, expect, it } from '@jest/globals';
import { RefreshDomain, OperatorRateLimits } from '../../../src/domains/index.js';
import { DomainName } from '../../../src/domains/language.js';
import { SECOND } from '../../../src/kernel/clock.js';
import { budgetsFile } from '../../support/builders/budgets-file.js';
import { FakeRegistry } from '../../support/fakes/fake-registry.js';
import { registryFaults } from '../../support/fakes/registry-faults.js';
import { running } from '../../support/running.js';
import { startTestService } from '../../support/servers/test-service.js';

const slow = running(() => FakeRegistry.start());
const fast = running(() => FakeRegistry.start());
const moody = running(() => FakeRegistry.start());
const service = running(() => {
  const operators = {
    slow: { hosts: [slow.host], per_second: 2, burst: 10 },
    moody: { hosts: [moody.host], per_second: 20, burst: 20 },
  };
  return startTestService({
    ROLE: 'worker',
    RDAP_OVERRIDES: `slow=${slow.url},fast=${fast.url},moody=${moody.url}`,
    LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8',
    LOOKUP_BUDGETS_FILE: budgetsFile({ operators }),
  });
});
let budgets: OperatorRateLimits;
beforeAll(() => {
  budgets = service.get(OperatorRateLimits);
});

const quota = (operator: string, seconds = 5) => budgets.availableQueries([operator], seconds).get(operator);

describe('the quota of operators', () => {
  it('names the operator of a domain without a query', () => {
    const operatorOf = (name: string) => budgets.operatorOf(DomainName.restore(name));
    expect(operatorOf('example.slow')).toBe('slow');
    expect(operatorOf('example.fast')).toBe(fast.host);
    expect(operatorOf('lifecycle-60s.test')).toBe('sandbox');
    expect(operatorOf('example.nowhere')).toBe('.nowhere');
  });

  it('is available for many operators at once', () => {
    const grants = budgets.availableQueries(['slow', fast.host, 'sandbox'], 5);
    expect([...grants]).toEqual([
      ['slow', { tokens: 10, reopensAt: null }],
      [fast.host, { tokens: Infinity, reopensAt: null }],
      ['sandbox', { tokens: Infinity, reopensAt: null }],
    ]);
  });

  it('is reserved in advance for lookups', async () => {
    expect(await budgets.reserveTokens('sandbox', 1_000, 'routine')).toBe(1_000);
    expect(await budgets.reserveTokens('slow', 20, 'routine')).toBe(8);
    expect(await budgets.reserveTokens('slow', 5, 'routine')).toBe(0);
    expect(await budgets.reserveTokens('slow', 5, 'drop_window')).toBe(2);
    const refresh = service.get(RefreshDomain);
    const lookUp = (hasReservedToken: boolean) =>
      refresh.run(DomainName.restore('example.slow'), 10 * SECOND, {
        priority: 'routine',
        maxWaitMs: 0,
        hasReservedToken,
      });
    expect(await lookUp(true)).toMatchObject({ kind: 'observation' });
    expect(await lookUp(false)).toMatchObject({ code: 'registry_throttled', notSent: 'budget', retryAfterSeconds: 1 });
  });

  it('is zero during a block, with the time at which it ends', async () => {
    moody.says('busy.moody', registryFaults.throttled('90'));
    const refresh = service.get(RefreshDomain);
    expect(await refresh.run(DomainName.restore('busy.moody'))).toMatchObject({ code: 'registry_throttled' });
    expect(quota('moody')).toMatchObject({ tokens: 0 });
    expect(quota('moody')?.reopensAt?.getTime()).toBeGreaterThan(Date.now() + 80 * SECOND);
    expect(quota('moody', 100)?.tokens).toBeGreaterThan(100);
    expect(await budgets.reserveTokens('moody', 1, 'drop_window')).toBe(0);
    expect(await refresh.run(DomainName.restore('other.moody'))).toMatchObject({ notSent: 'block' });
  });
});
