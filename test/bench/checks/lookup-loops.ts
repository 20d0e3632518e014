import { join } from 'node:path';
import type { Round } from '../load.js';
import { startCommandChild } from '../command-child.js';
import type { Order } from './loops.js';

/** The process with the loops, which runs one of them at a time. */
export interface OrderedLoops {
  run(loop: Order['loop'], seconds: number): Promise<Round>;
  close(): Promise<void>;
}

/** @param budgetsFile what the engine may ask; undici asks without end */
export async function startLookupLoops(registry: string, budgetsFile?: string): Promise<OrderedLoops> {
  const child = await startCommandChild<Order, Round>(join(import.meta.dirname, 'loops.ts'), {
    REGISTRY: registry,
    ...(budgetsFile !== undefined && { LOOKUP_BUDGETS_FILE: budgetsFile }),
  });
  return { run: (loop, seconds) => child.run({ loop, seconds }), close: () => child.close() };
}
