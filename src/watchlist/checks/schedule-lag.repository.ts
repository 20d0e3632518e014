import { Injectable } from '@nestjs/common';
import { LeaseConfig } from '../../config/sections.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import { withTimeout } from '../../kernel/promises.js';
import { WATCHED_OPERATORS } from '../watched-names.repository.js';

export interface OverdueOperator {
  readonly operator: string;
  /** When its most overdue name was due. */
  readonly dueSince: Date;
}

/** Whole seconds since the most overdue name was due; 0 when none is. */
export function oldestOverdueSeconds(overdue: readonly OverdueOperator[], now: Date): number {
  return Math.max(0, ...overdue.map(({ dueSince }) => Math.floor((now.getTime() - dueSince.getTime()) / 1_000)));
}

/** Costs the same whatever the number of names, like the claim. */
const SELECT_OVERDUE = {
  name: 'schedule_overdue',
  text: `with ${WATCHED_OPERATORS}
         select o.operator, min(first.next_check_at) as "dueSince"
         from operators o cross join (values (0), (1), (2)) as u(urgency) cross join lateral (
           select n.next_check_at from watched_names n
           where n.operator = o.operator and n.urgency = u.urgency and n.next_check_at <= $1
           order by n.next_check_at limit 1) as first
         group by o.operator`,
};
const COUNT_ACTIVE_LEASES = {
  name: 'schedule_active_leases',
  text: 'select count(*)::int as active from check_leases where until > now()',
};
/** Reads one row per active lease. */
const HAS_UNSTARTED_CLAIMS = {
  name: 'schedule_unstarted_claims',
  text: `select exists (
           select from check_leases l join watched_names n on n.domain = l.domain
           where l.starts = 0 and l.until > now() and l.until < now() + make_interval(secs => $2)
             and n.next_check_at <= $1) as "hasUnstarted"`,
};

/** A database that takes longer counts as unavailable. */
const QUERY_TIMEOUT_MS = 5_000;

@Injectable()
export class ScheduleLagRepository {
  constructor(
    private readonly statements: SqlClient,
    private readonly config: LeaseConfig,
  ) {}

  /** Operators with due names, each with its most overdue one; one statement, however many names there are. */
  findOverdue(now: Date): Promise<readonly OverdueOperator[]> {
    return this.statements.run<OverdueOperator>(SELECT_OVERDUE, [now]);
  }

  /** Checks in flight, over all processes. */
  async countInFlight(): Promise<number> {
    const [counted] = await this.statements.run<{ active: number }>(COUNT_ACTIVE_LEASES);
    return counted?.active ?? 0;
  }

  /**
   * Whether a name that was due by then was claimed, and half of its lease passed without a start. Rejects when the
   * database does not answer within seconds.
   */
  async hasUnstartedClaims(dueBy: Date): Promise<boolean> {
    const query = this.statements.run<{ hasUnstarted: boolean }>(HAS_UNSTARTED_CLAIMS, [
      dueBy,
      this.config.leaseSeconds / 2,
    ]);
    const [row] = await withTimeout(QUERY_TIMEOUT_MS, query);
    return row?.hasUnstarted ?? false;
  }
}
