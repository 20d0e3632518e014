import { MINUTE, SECOND } from '../kernel/clock.js';
import { periodicTask } from '../platform/scheduling/periodic-task.js';
import { CacheInvalidationPoller } from './lookup-cache/cache-invalidation-poller.js';
import { PostgresLookupCoordinator } from './lookup-cache/lookup-coordinator.repository.js';
import { OperatorHealthTracker } from './rate-limiting/operator-health-tracker.js';
import { RdapBootstrap } from './rdap/rdap-bootstrap.js';

/** In every process, whatever its role. */
export const DOMAIN_TASKS = [
  periodicTask({
    name: 'renew-lookup-leases',
    service: PostgresLookupCoordinator,
    intervalMs: SECOND,
    run: (lookups) => lookups.renew(),
  }),
  periodicTask({
    name: 'prune-lookups',
    service: PostgresLookupCoordinator,
    intervalMs: 5 * MINUTE,
    run: (lookups) => lookups.prune(),
  }),
  periodicTask({
    name: 'invalidate-lookup-cache',
    service: CacheInvalidationPoller,
    intervalMs: SECOND,
    run: (poller) => poller.poll(),
  }),
  periodicTask({
    name: 'refresh-operator-health',
    service: OperatorHealthTracker,
    intervalMs: SECOND,
    run: (health) => health.refresh(),
  }),
  periodicTask({
    name: 'refresh-rdap-bootstrap',
    service: RdapBootstrap,
    intervalMs: 15 * MINUTE, // a fetch is due once a day, and a failed one is retried after this
    run: (bootstrap) => bootstrap.refreshIfStale(),
  }),
];
