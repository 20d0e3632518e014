import { ConcurrencyConfig } from '../../config/sections.js';
import { SECOND } from '../../kernel/clock.js';
import { FairSemaphore } from './fair-semaphore.js';

const MiB = 1024 * 1024;
/** Long enough for whatever a program sends at once; what exceeds it is the account's excess. */
export const MAX_WAITING_PER_ACCOUNT = { requests: 250, bodyBytes: 4 * MiB };
/** Below the process's limit on requests in flight: lines leave room for those that need not wait. */
const MAX_WAITING = { requests: 750, bodyBytes: 16 * MiB };
const WAIT_TIMEOUT_MS = 5 * SECOND;

/** Requests work concurrently up to the number of database connections. */
export const accountSemaphore = {
  provide: FairSemaphore,
  inject: [ConcurrencyConfig],
  useFactory: ({ accountConcurrency, databasePool }: ConcurrencyConfig) =>
    new FairSemaphore({
      maxActive: databasePool,
      maxActivePerAccount: accountConcurrency,
      maxWaitingPerAccount: MAX_WAITING_PER_ACCOUNT,
      maxWaiting: MAX_WAITING,
      waitTimeoutMs: WAIT_TIMEOUT_MS,
    }),
};
