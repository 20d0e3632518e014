import { type Clock, SECOND } from '../../kernel/clock.js';
import type { OperatorBudget } from '../../kernel/operator-budget.js';
import { OperatorHealthTracker } from './operator-health-tracker.js';
import type { HealthStore } from './operator-health.repository.js';
import type { OperatorResolver } from './operator-resolver.js';
import type { SlotStore } from './operator-slots.js';
import type { BucketGrant, TokenStore } from './operator-tokens.js';
import { RegistryRateLimiter } from './registry-rate-limiter.js';

/**
 * The same limits as those of a service, for a command without a database: it counts its own queries, and knows of no
 * others.
 */
export function createLocalRateLimiter(operators: OperatorResolver, clock: Clock): RegistryRateLimiter {
  const health = new OperatorHealthTracker(NOTHING_STORED, clock);
  return new RegistryRateLimiter(operators, health, new LocalTokenBuckets(), OWN_SLOTS, clock);
}

/** The bucket of the shared store, in memory: at most a burst at once, refilled at the operator's rate. */
class LocalTokenBuckets implements TokenStore {
  /** When each bucket will be full again; performance.now() time. */
  private readonly fullAt = new Map<string, number>();

  take(operator: string, { perSecond, burst }: OperatorBudget, wanted: number): Promise<BucketGrant> {
    const now = performance.now();
    const msPerToken = SECOND / perSecond;
    const fullAt = Math.max(this.fullAt.get(operator) ?? 0, now);
    const tokens = Math.min(Math.max(0, Math.floor(burst - (fullAt - now) / msPerToken)), wanted);
    const nextFullAt = fullAt + tokens * msPerToken;
    this.fullAt.set(operator, nextFullAt);
    const waitMs = tokens === wanted ? 0 : Math.max(1, nextFullAt - now - (burst - 1) * msPerToken);
    return Promise.resolve({ tokens, waitMs });
  }
}

let slots = 0;
/** The pool of the only process never asks for more than the operator allows. */
const OWN_SLOTS: SlotStore = {
  acquire: (_operator, _concurrency, count) => Promise.resolve(Array.from({ length: count }, () => (slots += 1))),
  release: () => Promise.resolve(),
};

/** What the tracker learns while the command runs is all there is. */
const NOTHING_STORED: HealthStore = {
  findUnhealthy: () => Promise.resolve(new Map()),
  saveBlock: () => Promise.resolve(),
  tripBreaker: () => Promise.resolve(),
  resetBreaker: () => Promise.resolve(),
  claimProbe: () => Promise.resolve(true),
};
