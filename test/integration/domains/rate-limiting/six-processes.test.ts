import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LookupPriority } from '../../../../src/domains/domain/operators.js';
import { type TestGate, TestGates } from './test-rate-limiters.js';

const SECONDS = 4;
const BUDGETS = {
  'one-per-second': { per_second: 1, burst: 5, concurrency: 2 },
  'five-per-second': { per_second: 5, burst: 10, concurrency: 4 },
  'twenty-per-second': { per_second: 20, burst: 40, concurrency: 8 },
  'twenty-per-second-without-burst': { per_second: 20, burst: 1, concurrency: 8 },
};
/** The most that the clock of the server and that of this test differ, and that a loaded machine delays. */
const DELAY_SECONDS = 0.15;

let gates: TestGates;
let processes: TestGate[];
beforeAll(async () => {
  Logger.overrideLogger(false);
  gates = await TestGates.open(BUDGETS);
  processes = Array.from({ length: 6 }, () => gates.process());
});
afterAll(() => gates.close());

/** Six processes ask as often as they can, four at a time. @returns when each query was sent, in seconds */
async function askAll(operator: string, priorities: readonly LookupPriority[]): Promise<number[]> {
  const sent: number[] = [];
  const began = performance.now();
  const ever = async (gate: TestGate, priority: LookupPriority) => {
    while (performance.now() - began < SECONDS * 1_000) {
      const permit = await gate.enter(operator, { priority });
      if (permit.kind === 'rejected') await sleep(20);
      else {
        sent.push((performance.now() - began) / 1_000);
        await sleep(5);
        permit.release({ kind: 'answered' });
      }
    }
  };
  await Promise.all(processes.flatMap((process) => priorities.map((priority) => ever(process, priority))));
  return sent.filter((at) => at <= SECONDS).sort((one, next) => one - next);
}

describe('six processes', () => {
  it.each(Object.entries(BUDGETS))(
    'together stay within the rate limit in any time window, and make use of it: %s',
    async (operator, { per_second: rate, burst }) => {
      const sent = await askAll(operator, ['check', 'check', 'routine', 'drop_window']);
      for (const [first, from] of sent.entries())
        for (const [count, until] of sent.slice(first).entries())
          expect(count + 1).toBeLessThanOrEqual(burst + rate * (until - from + DELAY_SECONDS) + 1e-6);
      expect(sent.filter((at) => at < 0.5).length).toBeLessThan(2 * burst + rate * 0.5);
      // Of a burst of one, each query has to be asked for at the right moment, which a busy machine misses.
      const share = burst > 1 ? 0.9 : 0.4;
      expect(sent.length).toBeGreaterThanOrEqual(Math.floor((burst + rate * (SECONDS - 0.5)) * share));
      if (process.env['SHOW_FIGURES'])
        process.stderr.write(`${operator}: ${sent.length} of ${burst + rate * SECONDS}\n`);
    },
    20_000,
  );
});
