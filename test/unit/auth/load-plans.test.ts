import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { AuditEntry, AuditTrail } from '../../../src/auth/index.js';
import { LoadPlans, PlanCatalogue } from '../../../src/auth/plans/plan-catalogue.js';
import { PlanSource } from '../../../src/auth/plans/plan-source.js';
import { UnitOfWork } from '../../../src/kernel/unit-of-work.js';
import { readConfig } from '../../../src/config/config.js';
import { BUILT_IN_PLANS } from '../../../src/config/plans.js';
import type { Metrics } from '../../../src/platform/metrics/metrics.js';

Logger.overrideLogger(false);
const { free, pro } = BUILT_IN_PLANS;
const config = { ...readConfig({}), defaultPlan: 'free' };

class Source extends PlanSource {
  constructor(public answer: () => unknown) {
    super();
  }
  load = () => this.answer() as Promise<never>;
}

class Work extends UnitOfWork {
  run = <Result>(work: () => Promise<Result>): Promise<Result> => work();
}

const silent = { recordOnce: () => Promise.resolve() };

function loading(answer: () => unknown, recorder: { recordOnce: (entry: AuditEntry) => Promise<void> } = silent) {
  const audit = recorder as unknown as AuditTrail;
  const source = new Source(answer);
  const catalogue = new PlanCatalogue(config);
  const added = { extension: `billing-${Math.random()}`, source };
  const metrics = { gauge: () => undefined } as unknown as Metrics;
  return { source, catalogue, plans: new LoadPlans(catalogue, [added], config, metrics, audit, new Work()) };
}

const gold = (entries: number) => () => Promise.resolve({ free, gold: { ...pro, entries } });
const hang = () => new Promise(() => undefined);

describe('the plans of an extension', () => {
  afterEach(() => void jest.useRealTimers());

  it('replace the plans of the settings at the start, and change without a restart', async () => {
    const { source, catalogue, plans } = loading(gold(5));
    await plans.requirePlans();
    expect(catalogue.all().map(({ name }) => name)).toEqual(['free', 'gold']);
    expect(catalogue.forAccount('pro').name).toBe('free');
    source.answer = gold(6);
    await plans.reload();
    expect(catalogue.get('gold').limits.entries).toBe(6);
  });

  it.each<[string, () => unknown]>([
    ['cannot be loaded', () => Promise.reject(new Error('no connection'))],
    [
      'make the extension throw',
      () => {
        throw new Error('not even a promise');
      },
    ],
    ['lack a limit', () => Promise.resolve({ free, gold: { ...pro, entries: undefined } })],
    ['have an interval that is not a number', () => Promise.resolve({ free: { ...free, intervals: ['5'] } })],
    ['have a limit that the database cannot hold', () => Promise.resolve({ free: { ...free, entries: 1e12 } })],
    ['lack the default plan', () => Promise.resolve({ gold: pro })],
    ['are null', () => Promise.resolve(null)],
  ])('are ignored, and the last good plans stay, if they %s', async (_, answer) => {
    const { source, catalogue, plans } = loading(gold(5));
    await plans.requirePlans();
    source.answer = answer;
    await expect(plans.reload()).rejects.toThrow();
    expect(catalogue.get('gold').limits.entries).toBe(5);
    source.answer = gold(7);
    await plans.reload();
    expect(catalogue.get('gold').limits.entries).toBe(7);
  });

  it('are ignored, and the last good plans stay, if they take longer than ten seconds', async () => {
    jest.useFakeTimers();
    const { source, catalogue, plans } = loading(gold(5));
    await plans.requirePlans();
    source.answer = hang;
    const reloaded = expect(plans.reload()).rejects.toThrow('no answer within 10000 ms');
    await jest.advanceTimersByTimeAsync(10_000);
    await reloaded;
    expect(catalogue.get('gold').limits.entries).toBe(5);
  });

  it('change only if the audit log can record the change', async () => {
    const recorded: AuditEntry[] = [];
    const { source, catalogue, plans } = loading(gold(5), {
      recordOnce: (entry) =>
        recorded.length > 0 ? Promise.reject(new Error('no disk')) : Promise.resolve(void recorded.push(entry)),
    });
    await plans.requirePlans();
    await plans.reload(); // as they are
    source.answer = gold(6);
    await plans.reload();
    expect(recorded).toEqual([expect.objectContaining({ action: 'plans.changed', accountId: null })]);
    expect(recorded[0]?.before?.['gold']).toContain('entries=5');
    expect(recorded[0]?.after?.['gold']).toContain('entries=6');
    expect(Object.keys(recorded[0]?.after ?? {})).toEqual(['gold']);
    source.answer = gold(7);
    await expect(plans.reload()).rejects.toThrow('no disk');
    expect(catalogue.get('gold').limits.entries).toBe(6);
  });

  it('stop the start with a readable message if they are invalid or cannot be loaded', async () => {
    const missing = loading(() => Promise.resolve({ gold: pro }));
    await expect(missing.plans.requirePlans()).rejects.toMatchObject({
      problems: [
        expect.stringMatching(/^the plans of the extension billing-\S+: PLAN_DEFAULT must be one of gold, and/),
      ],
    });
    const broken = loading(() => Promise.reject(new Error('no connection')));
    await expect(broken.plans.requirePlans()).rejects.toThrow(/^the plans of the extension \S+: no connection$/);
  });
});
