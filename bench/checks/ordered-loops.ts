import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Round } from '../load.js';
import type { Order } from './loops.js';

/** The process with the loops, told to run one of them at a time. */
export interface OrderedLoops {
  run(loop: Order['loop'], seconds: number): Promise<Round>;
  close(): Promise<void>;
}

/** @param budgetsFile what the engine may ask; undici asks without end */
export async function orderedLoops(registry: string, budgetsFile?: string): Promise<OrderedLoops> {
  const child = fork(join(import.meta.dirname, 'loops.ts'), {
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, REGISTRY: registry, ...(budgetsFile !== undefined && { LOOKUP_BUDGETS_FILE: budgetsFile }) },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const gone = once(child, 'exit');
  await once(child, 'message');
  return {
    run: async (loop, seconds) => {
      child.send({ loop, seconds } satisfies Order);
      const [outcome] = (await Promise.race([once(child, 'message'), gone.then(fail)])) as [Round];
      return outcome;
    },
    close: async () => {
      child.disconnect();
      await gone;
    },
  };
}

function fail(): never {
  throw new Error('the process with the loops ended, see above');
}
