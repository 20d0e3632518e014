import { join } from 'node:path';
import { closeAll } from './cleanup.js';
import type { Figure, RunOptions, Suite } from './suite.js';

/** The messages of this process: first its suite, then the figures. */
export type SuiteMessage =
  | { readonly name: string; readonly about: string; readonly limitSeconds: number | null }
  | { readonly figures: readonly Figure[] };

/** Runs one suite: `run-suite.ts <path of the suite> <plan as JSON>`. It ends with the process that started it. */
const [, , path = '', plan = ''] = process.argv;
const endAll = () => process.kill(-process.pid, 'SIGKILL'); // its children too: it leads their process group
process.once('disconnect', endAll);

const { suite } = (await import(join(import.meta.dirname, path))) as { suite: Suite };
await send({ name: suite.name, about: suite.about, limitSeconds: suite.limitSeconds ?? null });
const figures = await measure();
for (const { what, ours, baseline, ratio } of figures)
  for (const value of [ours, baseline ?? 0, ratio ?? 0])
    if (!Number.isFinite(value)) throw new Error(`${suite.name}: ${what}: ${value} is no figure`);
await send({ figures });
process.exit(0);

async function measure(): Promise<readonly Figure[]> {
  try {
    return await suite.measure(JSON.parse(plan) as RunOptions);
  } finally {
    await closeAll();
  }
}

function send(message: SuiteMessage): Promise<void> {
  return new Promise((resolve) => process.send?.(message, () => resolve()));
}
