import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/config.js';
import { OperatorQuotaService } from '../../../domains/index.js';
import type { AvailableQuota } from '../../../domains/language.js';
import { after, Clock, HOUR, SECOND } from '../../../kernel/clock.js';
import { RequestActivity } from '../../../kernel/request-activity.js';
import { type LeaseBatch, LeaseRepository, type OperatorDue } from '../ports/lease-repository.js';

/** As much as an operator's budget grants in this time is under way at most, so that no lease dies waiting for it. */
const CLAIM_AHEAD_SECONDS = 2;
/** Where no rate limits them; more would only queue. */
const MAX_IN_FLIGHT = 4_000;
/** An operator that is left alone is still looked at, by name: its names have to know that nothing is known. */
const MAX_IN_FLIGHT_WHILE_BLOCKED = 100;
/** A name that takes processes down with it is left alone for so long. */
const QUARANTINE_MS = HOUR;
/**
 * While requests are worked on in this process, names that are not urgent are left for so long after they are due: the
 * looks at a file of names wait until it is taken in. Schedules are ahead of their promises by more than that.
 */
const ROUTINE_DELAY_WHILE_BUSY_MS = 5 * SECOND;

/** Takes leases on due names, of each operator no more than may be asked about soon. */
@Injectable()
export class ClaimDueNames {
  constructor(
    private readonly leases: LeaseRepository,
    private readonly budgets: OperatorQuotaService,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly foreground: RequestActivity,
  ) {}

  async run(): Promise<LeaseBatch[]> {
    const now = this.clock.now();
    const routineBefore = this.foreground.hasActiveRequests
      ? after(now, -ROUTINE_DELAY_WHILE_BUSY_MS / this.config.timeScale)
      : now;
    const due = await this.leases.findOperatorsDue(now, routineBefore);
    const grants = this.budgets.availableQuota(
      due.map(({ operator }) => operator),
      CLAIM_AHEAD_SECONDS,
    );
    const quotas = due.map((one) => [one.operator, claimQuota(one, grants.get(one.operator))] as const);
    const positiveQuotas = new Map(quotas.filter(([, quota]) => quota > 0));
    return positiveQuotas.size > 0 ? this.leases.claimDue(now, positiveQuotas, routineBefore) : [];
  }

  /** @returns names that no worker came back from, and that are left alone for a while */
  quarantine(): Promise<readonly string[]> {
    return this.leases.quarantine(after(this.clock.now(), QUARANTINE_MS / this.config.timeScale));
  }
}

function claimQuota({ inFlight: underWay }: OperatorDue, available: AvailableQuota | undefined): number {
  if (available?.reopensAt) return MAX_IN_FLIGHT_WHILE_BLOCKED - underWay;
  const tokens = available?.tokens ?? 1;
  return Math.min(Math.ceil(tokens), MAX_IN_FLIGHT) - underWay;
}
