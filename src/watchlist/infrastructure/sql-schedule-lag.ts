import { Injectable } from '@nestjs/common';
import { Statements } from '../../platform/statements.js';
import { type Overdue, ScheduleLag } from '../domain/schedule-lag.js';
import { WATCHED_OPERATORS } from './watched-operators.js';

/** As the claim does, it costs the same whatever the number of names. */
const OVERDUE = {
  name: 'schedule_overdue',
  text: `with ${WATCHED_OPERATORS}
         select o.operator, min(first.next_check_at) as "dueSince"
         from operators o cross join (values (0), (1), (2)) as u(urgency) cross join lateral (
           select n.next_check_at from watched_names n
           where n.operator = o.operator and n.urgency = u.urgency and n.next_check_at <= $1
           order by n.next_check_at limit 1) as first
         group by o.operator`,
};
const UNDER_WAY = {
  name: 'schedule_under_way',
  text: 'select count(*)::int as looks from leases where until > now()',
};

@Injectable()
export class SqlScheduleLag extends ScheduleLag {
  constructor(private readonly statements: Statements) {
    super();
  }

  overdue(now: Date): Promise<readonly Overdue[]> {
    return this.statements.run<Overdue>(OVERDUE, [now]);
  }

  async underWay(): Promise<number> {
    const [counted] = await this.statements.run<{ looks: number }>(UNDER_WAY);
    return counted?.looks ?? 0;
  }
}
