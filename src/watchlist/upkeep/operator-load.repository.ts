import { Injectable } from '@nestjs/common';
import type { OperatorDemand } from '../domain/operator-load.js';
import { SqlClient } from '../../platform/database/sql-client.js';

/** Reads no names where a process measured recently. */
const SELECT_DEMAND = {
  name: 'operator_demands',
  text: `select n.operator, n.interval_minutes as "intervalMinutes", count(*)::int as names from watched_names n
         where n.next_check_at is not null
           and not exists (select from operator_loads where measured_at > now() - interval '4 minutes')
         group by n.operator, n.interval_minutes`,
};
/** In one order, so that two schedulers cannot deadlock. */
const REPLACE_DELAYS = {
  name: 'operator_loads_replace',
  text: `with measured as (select * from jsonb_to_recordset($1::jsonb) as t(operator text, delay double precision)),
         gone as (delete from operator_loads l where not exists (select from measured t where t.operator = l.operator))
         insert into operator_loads (operator, delay_minutes, measured_at)
         select operator, delay, now() from measured order by operator
         on conflict (operator) do update
           set delay_minutes = excluded.delay_minutes, measured_at = excluded.measured_at`,
};

/** The demand of each operator's names, and the resulting delays. */
@Injectable()
export class OperatorLoadRepository {
  constructor(private readonly statements: SqlClient) {}

  /** The demand of all scheduled names; empty when measured minutes ago. One statement, which reads every name. */
  measureDemand(): Promise<readonly OperatorDemand[]> {
    return this.statements.runFullScan<OperatorDemand>(SELECT_DEMAND);
  }

  /** Replaces the stored delays, in minutes by operator. One statement. */
  async storeDelays(delays: ReadonlyMap<string, number>): Promise<void> {
    const rows = [...delays].map(([operator, delay]) => ({ operator, delay }));
    await this.statements.run(REPLACE_DELAYS, [JSON.stringify(rows)]);
  }
}
