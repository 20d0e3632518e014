import { Injectable } from '@nestjs/common';
import { OperatorRateLimits } from '../../domains/index.js';
import type { AvailableQueries } from '../../domains/language.js';
import { LeaseConfig } from '../../config/sections.js';
import { after, Clock } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { BackgroundThrottle } from './background-throttle.js';
import { type LeaseBatch, LeaseRepository, type OperatorDue } from './leases.repository.js';

/**
 * Each claim takes the names that the rate limit allows within this time. With more, leases (locks) would expire in the
 * queue.
 */
const CLAIM_AHEAD_SECONDS = 2;
/** How many names of one registry operator may be queued or being checked. A longer queue would delay urgent names. */
const MAX_IN_FLIGHT = 4_000;
/**
 * At most this many names for each second of `leaseSeconds`. With more, leases would expire before busy workers start
 * the checks.
 */
const MAX_IN_FLIGHT_PER_LEASE_SECOND = 65;
/**
 * The limit while Retry-After or a circuit breaker blocks an operator. These checks fail, so that entries show the
 * failure.
 */
const MAX_IN_FLIGHT_WHILE_BLOCKED = 100;
/** How long a name is postponed if its checks crash their workers. */
const POISON_DELAY_HOURS = 1;

/**
 * Gets leases (locks) on due names: for each registry operator, as many as its rate limit allows in the next seconds.
 */
@Injectable()
export class ClaimDueNames {
  constructor(
    private readonly leases: LeaseRepository,
    private readonly rateLimits: OperatorRateLimits,
    private readonly clock: Clock,
    private readonly units: TimeUnits,
    private readonly throttle: BackgroundThrottle,
    private readonly config: LeaseConfig,
  ) {}

  async run(): Promise<LeaseBatch[]> {
    const now = this.clock.now();
    const routineBefore = this.throttle.routineDueBefore(now);
    const due = await this.leases.findOperatorsDue(now, routineBefore);
    if (due.length === 0) return [];
    const grants = await this.rateLimits.availableQueries(
      due.map(({ operator }) => operator),
      CLAIM_AHEAD_SECONDS,
    );
    const quotas = due.map((one) => [one.operator, this.claimQuota(one, grants.get(one.operator))] as const);
    const positiveQuotas = new Map(quotas.filter(([, quota]) => quota > 0));
    return positiveQuotas.size > 0 ? this.leases.claimDue(now, positiveQuotas, routineBefore) : [];
  }

  /** @returns the names that were postponed because their checks were started several times and never finished */
  postponePoisonNames(): Promise<readonly string[]> {
    return this.leases.postponePoisonNames(after(this.clock.now(), POISON_DELAY_HOURS * this.units.hour));
  }

  private claimQuota({ inFlight }: OperatorDue, available: AvailableQueries | undefined): number {
    if (available?.reopensAt) return MAX_IN_FLIGHT_WHILE_BLOCKED - inFlight;
    const tokens = available?.tokens ?? 1;
    const inOneLease = MAX_IN_FLIGHT_PER_LEASE_SECOND * this.config.leaseSeconds;
    return Math.min(Math.ceil(tokens), inOneLease, MAX_IN_FLIGHT) - inFlight;
  }
}
