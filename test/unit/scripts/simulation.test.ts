import { describe, expect, it } from '@jest/globals';
import type { Installation } from '../../../scripts/simulation/installation.js';
import { simulate, toSchedule } from '../../../scripts/simulation/model.js';
import { toOperators } from '../../../scripts/simulation/operator-mix.js';
import { parseSimulationOptions } from '../../../scripts/simulation/simulation-options.js';

const anInstallation = (own: Partial<Installation> = {}): Installation => ({
  operators: [{ name: 'one', names: 3_600_000, perSecond: 0, concurrency: 1_000 }],
  intervalSeconds: 3_600,
  workers: 2,
  schedulers: 1,
  workerNamesPerSecond: 2_000,
  postgresNamesPerSecond: 10_000,
  claimMsPerName: 0.003,
  registryMs: 1,
  ...own,
});

describe('The simulation of an installation', () => {
  it('keeps the interval while there is room, and lags less than two claims', () => {
    const { checkedPerSecond, lagMs, busy } = simulate(anInstallation());

    expect(checkedPerSecond).toBe(1_000);
    expect(busy).toMatchObject({ workers: 0.25, postgresql: 0.1 });
    expect(lagMs.p50).toBeGreaterThan(100);
    expect(lagMs.p99).toBeLessThan(500);
  });

  it('gives the same result again', () => {
    expect(simulate(anInstallation())).toEqual(simulate(anInstallation()));
  });

  it.each([
    ['workers', { workers: 1, workerNamesPerSecond: 500 }],
    ['PostgreSQL', { postgresNamesPerSecond: 500 }],
    ['schedulers', { claimMsPerName: 2 }],
  ])('checks each name half as often when %s carry half of it', (_which, own) => {
    const { operators, wantedPerSecond, checkedPerSecond } = simulate(anInstallation(own));

    expect({ wantedPerSecond, checkedPerSecond }).toEqual({ wantedPerSecond: 1_000, checkedPerSecond: 500 });
    expect(operators).toMatchObject([{ checkedEverySeconds: 7_200, limitedBy: 'capacity' }]);
  });

  it('lags by the same however many names there are, at the same rate', () => {
    const few = simulate(anInstallation()).lagMs;
    const operators = [{ name: 'one', names: 100_000_000, perSecond: 0, concurrency: 1_000 }];
    const many = simulate(anInstallation({ operators, intervalSeconds: 100_000 })).lagMs;

    expect(many).toEqual(few);
  });

  it('lags more with a slow registry, and less with a second scheduler', () => {
    const { p50 } = simulate(anInstallation()).lagMs;

    expect(simulate(anInstallation({ registryMs: 400 })).lagMs.p50).toBeGreaterThan(p50);
    expect(simulate(anInstallation({ schedulers: 2 })).lagMs.p50).toBeLessThan(p50);
  });

  it('stretches the interval of an operator by its rate limit, as docs/budgets.md says of 100 000 names', () => {
    const schedule = toSchedule(anInstallation({ operators: toOperators(100_000, 1), intervalSeconds: 300 }));
    const minutes = (name: string) =>
      Math.round((schedule.find((one) => one.name === name)?.checkedEverySeconds ?? NaN) / 60);

    expect(['verisign', 'pir', 'identity-digital', 'denic', 'other-1'].map(minutes)).toEqual([42, 33, 17, 83, 8]);
  });

  it('asks no operator more often than its rate limit and its concurrency allow', () => {
    const operators = [
      { name: 'by rate', names: 10_000, perSecond: 20, concurrency: 100 },
      { name: 'by concurrency', names: 10_000, perSecond: 100, concurrency: 1 },
    ];
    const { checkedPerSecond } = simulate(anInstallation({ operators, intervalSeconds: 60, registryMs: 200 }));

    expect(checkedPerSecond).toBeCloseTo(20 + 5);
  });
});

describe('The options of the simulation', () => {
  const required = ['--names', '100e6', '--workers', '8', '--interval-hours', '24'];

  it('take numbers as people write them', () => {
    const { names, intervalHours, limits } = parseSimulationOptions([...required, '--limits', 'none']);

    expect({ names, intervalHours, limits }).toEqual({ names: 100_000_000, intervalHours: 24, limits: null });
  });

  it.each([
    [[], '--names is a whole number from 1 to 10000000000, and is required'],
    [['--names', '0'], '--names is a whole number from 1 to 10000000000, not "0"'],
    [['--names', '1.5'], '--names is a whole number from 1 to 10000000000, not "1.5"'],
    [[...required, '--workers', 'NaN'], '--workers is a whole number from 1 to 10000, not "NaN"'],
    [[...required, '--workers', '1e9'], '--workers is a whole number from 1 to 10000, not "1e9"'],
    [[...required, '--interval-hours', '0'], '--interval-hours is a number from 0.01 to 8760, not "0"'],
    [[...required, '--registry-ms', ''], '--registry-ms is a number from 0 to 60000, not ""'],
    [[...required, '--queue', 'kafka'], '--queue is redis or postgresql, not "kafka"'],
    [[...required, '--limits', 'all'], '--limits is a number from 0.001 to 1000000, not "all"'],
    [[...required, '--wat'], "Unknown option '--wat'"],
    [['more', ...required], /^Unexpected argument 'more'/],
  ])('%j are refused in one sentence', (args, sentence) => {
    expect(() => parseSimulationOptions(args)).toThrow(sentence);
  });
});
