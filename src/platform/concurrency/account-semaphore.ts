import { ConcurrencyConfig } from '../../config/sections.js';
import { SECOND } from '../../kernel/clock.js';
import { FairSemaphore } from './fair-semaphore.js';

const MAX_WAITING_PER_SLOT = 4;
const WAIT_TIMEOUT_MS = 2 * SECOND;

/** Requests work concurrently up to the number of database connections. */
export const accountSemaphore = {
  provide: FairSemaphore,
  inject: [ConcurrencyConfig],
  useFactory: ({ accountConcurrency, databasePool }: ConcurrencyConfig) =>
    new FairSemaphore({
      maxActive: databasePool,
      maxActivePerAccount: accountConcurrency,
      maxWaitingPerAccount: accountConcurrency * MAX_WAITING_PER_SLOT,
      waitTimeoutMs: WAIT_TIMEOUT_MS,
    }),
};
