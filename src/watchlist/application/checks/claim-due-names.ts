import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/config.js';
import { OperatorQuotaService } from '../../../domains/index.js';
import type { AvailableQuota } from '../../../domains/language.js';
import { after, Clock, HOUR, SECOND } from '../../../kernel/clock.js';
import { RequestActivity } from '../../../kernel/request-activity.js';
import { type LeaseBatch, LeaseRepository, type OperatorDue } from '../ports/lease-repository.js';

/** As much as an operator's budget grants in this time is under way at most, so that no lease dies waiting for it. */
const SECONDS_AHEAD = 2;
/** Where no rate limits them; more would only queue. */
const MOST_UNDER_WAY = 4_000;
/** An operator that is left alone is still looked at, by name: its names have to know that nothing is known. */
const WHILE_LEFT_ALONE = 100;
/** A name that takes processes down with it is left alone for so long. */
const SET_ASIDE_FOR = HOUR;
/**
 * While requests are worked on in this process, names that are not urgent are left for so long after they are due: the
 * looks at a file of names wait until it is taken in. Schedules are ahead of their promises by more than that.
 */
const HELD_BACK_FOR = 5 * SECOND;

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
    const routineBefore = this.foreground.hasActiveRequests ? after(now, -HELD_BACK_FOR / this.config.timeScale) : now;
    const due = await this.leases.operatorsDue(now, routineBefore);
    const grants = this.budgets.availableQuota(
      due.map(({ operator }) => operator),
      SECONDS_AHEAD,
    );
    const quotas = due.map((one) => [one.operator, quotaOf(one, grants.get(one.operator))] as const);
    const wanted = new Map(quotas.filter(([, quota]) => quota > 0));
    return wanted.size > 0 ? this.leases.claimDue(now, wanted, routineBefore) : [];
  }

  /** @returns names that no worker came back from, and that are left alone for a while */
  setAside(): Promise<readonly string[]> {
    return this.leases.setAside(after(this.clock.now(), SET_ASIDE_FOR / this.config.timeScale));
  }
}

function quotaOf({ underWay }: OperatorDue, granted: AvailableQuota | undefined): number {
  if (granted?.reopensAt) return WHILE_LEFT_ALONE - underWay;
  const tokens = granted?.tokens ?? 1;
  return Math.min(Math.ceil(tokens), MOST_UNDER_WAY) - underWay;
}
