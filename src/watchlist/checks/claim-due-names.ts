import { Injectable } from '@nestjs/common';
import { OperatorRateLimits } from '../../domains/index.js';
import type { AvailableQueries } from '../../domains/language.js';
import { LeaseConfig } from '../../config/sections.js';
import { after, Clock } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { BackgroundThrottle } from './background-throttle.js';
import { type LeaseBatch, LeaseRepository, type OperatorDue } from './leases.repository.js';

/** Claims only the names that the rate limit allows within this time, so that no lease expires in the queue. */
const CLAIM_AHEAD_SECONDS = 2;
/** Limits the names of one operator that are being checked, since urgent names have to wait behind them. */
const MAX_IN_FLIGHT = 4_000;
/** Without this limit, a busy machine would let many leases end before a worker gets to the names. */
const MAX_IN_FLIGHT_PER_LEASE_SECOND = 65;
/** A blocked operator still gets a few checks, so that its names record that lookups fail. */
const MAX_IN_FLIGHT_WHILE_BLOCKED = 100;
/** Delays a name whose checks crash their workers. */
const POISON_DELAY_HOURS = 1;

/** Leases (locks) due names for checks: per registry operator, only as many as the rate limit allows soon. */
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
