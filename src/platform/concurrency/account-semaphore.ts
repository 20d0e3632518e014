import { Config } from '../../config/config.js';
import { SECOND } from '../../kernel/clock.js';
import { FairLine } from './fair-semaphore.js';

const WAITING_PER_PLACE = 4;
const WAIT = 2 * SECOND;

/** The line in which requests of accounts wait: as many work at a time as there are connections for them. */
export const requestLine = {
  provide: FairLine,
  inject: [Config],
  useFactory: ({ accountConcurrency, databasePool }: Config) =>
    new FairLine({
      atOnce: databasePool,
      perAccount: accountConcurrency,
      waiting: accountConcurrency * WAITING_PER_PLACE,
      waitMs: WAIT,
    }),
};
