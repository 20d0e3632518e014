import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Settings without limits: what a registry or a plan allows is not what is measured here. */
export function unlimited(folder: string) {
  const files = { LOOKUP_BUDGETS_FILE: join(folder, 'budgets.json'), PLANS_FILE: join(folder, 'plans.json') };
  const budget = { per_second: 0, burst: 1_000, concurrency: 1_000 };
  writeFileSync(files.LOOKUP_BUDGETS_FILE, JSON.stringify({ default: budget }));
  writeFileSync(files.PLANS_FILE, JSON.stringify({ selfhost: { requests_per_minute: 0 } }));
  return files;
}
