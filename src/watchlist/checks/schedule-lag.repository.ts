import { Injectable } from '@nestjs/common';
import { SqlClient } from '../../platform/database/sql-client.js';
import { WATCHED_OPERATORS } from '../watched-names.repository.js';

export interface OverdueOperator {
  readonly operator: string;
  readonly dueSince: Date;
}

/** Returns the whole seconds since the most overdue name was due; 0 if none is overdue. */
export function oldestOverdueSeconds(overdue: readonly OverdueOperator[], now: Date): number {
  return Math.max(0, ...overdue.map(({ dueSince }) => Math.floor((now.getTime() - dueSince.getTime()) / 1_000)));
}

/** Reads one index entry per operator and urgency, however many names there are. */
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
@Injectable()
export class ScheduleLagRepository {
  constructor(private readonly statements: SqlClient) {}

  findOverdue(now: Date): Promise<readonly OverdueOperator[]> {
    return this.statements.run<OverdueOperator>(SELECT_OVERDUE, [now]);
  }

  async countInFlight(): Promise<number> {
    const [counted] = await this.statements.run<{ active: number }>(COUNT_ACTIVE_LEASES);
    return counted?.active ?? 0;
  }
}
