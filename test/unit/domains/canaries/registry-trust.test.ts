import { beforeEach, describe, expect, it } from '@jest/globals';
import { RegistryTrust } from '../../../../src/domains/canaries/registry-trust.js';
import type { CanaryResultRepository } from '../../../../src/domains/canaries/canary-results.repository.js';
import type { OperatorRateLimits } from '../../../../src/domains/sources/operator-rate-limits.js';
import { DomainName } from '../../../../src/domains/domain/name/domain-name.js';
import { WatchlistLink } from '../../../../src/domains/watchlist-link.js';
import { TestClock } from '../../../support/fakes/test-clock.js';
import { LocalLookupCoordinator } from '../lookup-cache/local-lookup-coordinator.js';

const name = DomainName.restore('free.zzz');
const clock = new TestClock();
let loads: string[];
let knownOperator: string;
let isStoreAway: boolean;
let trust: RegistryTrust;
let link: WatchlistLink;

/** Another process has discovered that the TLD belongs to `registry.example`. */
const operators = {
  operatorOf: () => knownOperator,
  refreshServers: (tlds: ReadonlySet<string>) => {
    loads.push(...tlds);
    if (isStoreAway) return Promise.reject(new Error('the store is away'));
    return Promise.resolve().then(() => void (knownOperator = 'registry.example'));
  },
} as Partial<OperatorRateLimits> as OperatorRateLimits;
const noCanaries = {
  findLast: () => Promise.resolve(null),
} as Partial<CanaryResultRepository> as CanaryResultRepository;

beforeEach(() => {
  [loads, knownOperator, isStoreAway] = [[], '.zzz', false];
  link = new WatchlistLink();
  trust = new RegistryTrust(noCanaries, operators, new LocalLookupCoordinator(), link, clock);
});

describe('a registry whose drops are held', () => {
  const hold = (isHeld: (registry: { operator: string; tld: string }) => boolean) => {
    const areDropsHeld = (registry: { operator: string; tld: string }) => Promise.resolve(isHeld(registry));
    link.connect({ ...link.watchlist, areDropsHeld });
  };

  it('is doubted by a process that has asked it nothing yet, at each of several checks at once', async () => {
    hold(({ operator }) => operator === 'registry.example');
    const doubts = await Promise.all([trust.findDoubt(name), trust.findDoubt(name)]);
    expect(doubts).toEqual(['drops_held', 'drops_held']);
  });

  it('is doubted by its TLD, whoever operates it', async () => {
    hold(({ tld }) => tld === 'zzz');
    expect(await trust.findDoubt(name)).toBe('drops_held');
  });

  it('has its servers read once in five minutes', async () => {
    for (let checks = 0; checks < 3; checks += 1) expect(await trust.findDoubt(name)).toBeNull();
    expect(loads).toEqual(['zzz']);
    clock.advance(5 * 60_000);
    await trust.findDoubt(name);
    expect(loads).toEqual(['zzz', 'zzz']);
  });

  it('has its servers read again by the next check when they could not be', async () => {
    isStoreAway = true;
    await expect(trust.findDoubt(name)).rejects.toThrow('the store is away');
    isStoreAway = false;
    expect(await trust.findDoubt(name)).toBeNull();
  });
});
