import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { diff } from 'node:util';
import { ENTRIES, type Entry } from './emit.js';

const FILES: Readonly<Record<Entry, string>> = { kit: 'api/namewatch.api.md', testing: 'api/testing.api.md' };
/** Signs for the sides of a line in `diff`. */
const SIGNS = { '-1': '+', 0: ' ', 1: '-' };

type Reports = Readonly<Record<Entry, string>>;

/** Returns the lines that differ from the committed reports; `kit.ts: + …` is a new line. */
export function compareReports(root: string, reports: Reports): string[] {
  return ENTRIES.flatMap((entry) => {
    const path = join(root, FILES[entry]);
    const committed = existsSync(path) ? readFileSync(path, 'utf8') : '';
    const lines = diff(committed.split('\n'), reports[entry].split('\n'));
    return lines.filter(([side]) => side !== 0).map(([side, line]) => `${entry}.ts: ${SIGNS[side]} ${line}`);
  });
}

export function writeReports(root: string, reports: Reports): void {
  for (const entry of ENTRIES) {
    mkdirSync(dirname(join(root, FILES[entry])), { recursive: true });
    writeFileSync(join(root, FILES[entry]), reports[entry]);
  }
}
