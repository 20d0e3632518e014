import assert from 'node:assert/strict';
import { validatePlans } from '../config/plans.js';
import type { PlansByName, PlanSource } from '../auth/index.js';
import { withTimeout } from '../kernel/promises.js';
import { type ContractCase, toContractCases } from './contract-case.js';

export interface PlanSourceContractOptions {
  /** Creates a source. Its origin, such as a file or a server, works and contains the default plan. */
  readonly createSource: () => PlanSource | Promise<PlanSource>;
  /** `PLAN_DEFAULT` of the installation. */
  readonly defaultPlan: string;
  /** Changes a plan at the origin, so that the next load returns the change. */
  readonly changePlans: () => Promise<void> | void;
  /** Makes the origin unusable: for example, removes the file, or lets the server respond with 500. */
  readonly breakOrigin: () => Promise<void> | void;
}

/** Returns test cases with the rules for every plan source. Each case creates its own source. */
export function planSourceContract(options: PlanSourceContractOptions): ContractCase[] {
  const { createSource, defaultPlan, changePlans, breakOrigin } = options;
  return toContractCases(createSource, {
    'loads plans with all of their limits': async (source) => {
      assert.deepEqual(validatePlans(await load(source)).problems, []);
    },
    'has the default plan': async (source) => {
      const names = Object.keys(await load(source));
      assert.ok(names.includes(defaultPlan), `${defaultPlan} is not among ${names.join(', ')}`);
    },
    'loads the same plans again while nothing changes': async (source) => {
      const before = structuredClone(await load(source));
      assert.deepEqual(await load(source), before);
    },
    'shows a change with the next load': async (source) => {
      const before = structuredClone(await load(source));
      await changePlans();
      assert.notDeepEqual(await load(source), before, 'the plans are those of before the change');
    },
    'rejects while its origin is broken, also when it has loaded plans before': async (source) => {
      await load(source);
      await breakOrigin();
      await assert.rejects(() => load(source), 'the service keeps the plans of before only when load() rejects');
    },
  });
}

const TIMEOUT_MS = 10_000;

function load(source: PlanSource): Promise<PlansByName> {
  return withTimeout(TIMEOUT_MS, source.load());
}
