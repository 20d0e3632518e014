import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let unlimited: string | undefined;

/** Returns a LOOKUP_BUDGETS_FILE in a folder of its own. */
export function budgetsFile(budgets: unknown): string {
  const path = join(mkdtempSync(join(tmpdir(), 'namewatch-budgets-')), 'budgets.json');
  writeFileSync(path, JSON.stringify(budgets));
  return path;
}

/** Lets a test ask a registry on loopback as often as it likes; one of the budgets names a file of its own. */
export function unlimitedBudgets(): string {
  unlimited ??= budgetsFile({ default: { per_second: 0, burst: 100, concurrency: 8 } });
  return unlimited;
}
