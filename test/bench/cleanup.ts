import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const steps: (() => unknown)[] = [];

/** Has this closed when the suite is through, also when it fails. Each suite has a process of its own, so one list does. */
export function atEnd(close: () => unknown): void {
  steps.push(close);
}

/** Closes everything that was started since the last call, in the opposite order. */
export async function closeAll(): Promise<void> {
  for (const close of steps.splice(0).reverse()) await close();
}

/** A new folder, which is removed with the suite's own temporary folder. */
export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'namewatch-bench-'));
}
