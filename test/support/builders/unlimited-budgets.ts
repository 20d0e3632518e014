import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let path: string | undefined;

/** A registry on loopback is asked as often as a test likes; a test of the budgets names a file of its own. */
export function unlimitedBudgets(): string {
  if (path !== undefined) return path;
  path = join(mkdtempSync(join(tmpdir(), 'namewatch-budgets-')), 'budgets.json');
  writeFileSync(path, JSON.stringify({ default: { per_second: 0, burst: 100, concurrency: 8 } }));
  return path;
}
