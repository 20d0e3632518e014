import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUILT_IN_PLANS } from '../../../src/config/plans.js';

let generous: string | undefined;

/** Returns a PLANS_FILE in a folder of its own. */
export function plansFile(plans: unknown): string {
  const path = join(mkdtempSync(join(tmpdir(), 'namewatch-plans-')), 'plans.json');
  writeFileSync(path, JSON.stringify(plans));
  return path;
}

/** A test may ask as often as it likes, and is counted all the same; one of the limits names a file of its own. */
export function unlimitedPlans(): string {
  const often = { requests_per_minute: 1_000_000 };
  generous ??= plansFile(Object.fromEntries(Object.keys(BUILT_IN_PLANS).map((name) => [name, often])));
  return generous;
}
