import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A LOOKUP_BUDGETS_FILE in a folder of its own. */
export function budgetsFile(budgets: unknown): string {
  const path = join(mkdtempSync(join(tmpdir(), 'namewatch-budgets-')), 'budgets.json');
  writeFileSync(path, JSON.stringify(budgets));
  return path;
}
