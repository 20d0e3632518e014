import { describe, expect, it } from '@jest/globals';
import { PlanSource, type PlansByName } from '../../../src/kit.js';
import { planSourceContract } from '../../../src/testing.js';
import { failingCases } from '../../support/contract-cases.js';

const GOLD = {
  intervals: [5, 60],
  default_interval: 60,
  entries: 10,
  channels: 2,
  requests_per_minute: 60,
  bulk: 20,
  history_days: 90,
};

/** A file in memory. */
class Origin {
  plans: PlansByName | null = { gold: GOLD };

  read(): PlansByName {
    if (this.plans === null) throw new Error('no such file');
    return structuredClone(this.plans);
  }
}

class GoodSource extends PlanSource {
  constructor(protected readonly origin: Origin) {
    super();
  }

  async load(): Promise<PlansByName> {
    return Promise.resolve(this.origin.read());
  }
}

class CachesForever extends GoodSource {
  private cached: PlansByName | null = null;

  override async load() {
    return (this.cached ??= await super.load());
  }
}

class AnswersNothingWhenBroken extends GoodSource {
  override load() {
    return super.load().catch(() => ({}));
  }
}

class LeavesOutLimits extends GoodSource {
  override async load() {
    const { entries: _, ...limits } = { ...(await super.load())['gold'] };
    return { gold: limits } as unknown as PlansByName;
  }
}

class RenamesPlans extends GoodSource {
  override async load() {
    return Object.fromEntries(Object.entries(await super.load()).map(([name, limits]) => [`${name}-2026`, limits]));
  }
}

function contractOf(type: typeof GoodSource) {
  let origin = new Origin();
  return planSourceContract({
    createSource: () => new type((origin = new Origin())),
    defaultPlan: 'gold',
    changePlans: () => void (origin.plans = { gold: { ...GOLD, entries: 11 } }),
    breakOrigin: () => void (origin.plans = null),
  });
}

describe('the contract tests for plan sources', () => {
  it.each(contractOf(GoodSource))('pass for a correct source: it $name', ({ run }) => run());

  it.each<[string, typeof GoodSource, readonly string[]]>([
    [
      'caches the first plans forever',
      CachesForever,
      ['shows a change with the next load', 'rejects while its origin is broken, also when it has loaded plans before'],
    ],
    [
      'returns no plans instead of an error while its origin is broken',
      AnswersNothingWhenBroken,
      ['rejects while its origin is broken, also when it has loaded plans before'],
    ],
    [
      'leaves out a limit',
      LeavesOutLimits,
      ['loads plans with all of their limits', 'shows a change with the next load'],
    ],
    ['has no default plan', RenamesPlans, ['has the default plan']],
  ])('fail for a source that %s', async (_, type, cases) =>
    expect(await failingCases(contractOf(type))).toEqual(cases),
  );
});
