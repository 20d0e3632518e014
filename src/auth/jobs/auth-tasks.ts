import { MINUTE } from '../../kernel/clock.js';
import { periodicTask } from '../../platform/scheduling/periodic-task.js';
import { PruneKeys } from '../application/prune-keys.js';
import { RateLimitStore } from '../domain/rate-limit-store.js';

export const API_TASKS = [
  periodicTask({
    name: 'prune-keys',
    service: PruneKeys,
    intervalMs: 10 * MINUTE,
    run: (keys) => keys.run(),
  }),
  periodicTask({
    name: 'purge-rate-limits',
    service: RateLimitStore,
    intervalMs: MINUTE,
    run: (limits) => limits.purgeExpired(),
  }),
];
