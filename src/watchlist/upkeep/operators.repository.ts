import { Injectable } from '@nestjs/common';
import type { OperatorDemand } from '../domain/effective-interval.js';
import { SqlClient } from '../../platform/database/sql-client.js';

/** Reads no names where a process measured recently. */
const SELECT_DEMAND = {
  name: 'operator_demands',
  text: `select n.operator, n.interval_minutes as "intervalMinutes", count(*)::int as names from watched_names n
         where n.next_check_at is not null
           and not exists (select from operator_loads where measured_at > now() - interval '4 minutes')
         group by n.operator, n.interval_minutes`,
};
/** Writes in one order, so that two schedulers cannot deadlock. */
const REPLACE_DELAYS = {
  name: 'operator_loads_replace',
  text: `with measured as (select * from jsonb_to_recordset($1::jsonb) as t(operator text, delay double precision)),
         gone as (delete from operator_loads l where not exists (select from measured t where t.operator = l.operator))
         insert into operator_loads (operator, delay_minutes, measured_at)
         select operator, delay, now() from measured order by operator
         on conflict (operator) do update
           set delay_minutes = excluded.delay_minutes, measured_at = excluded.measured_at`,
};

/** Names directly below one suffix that are assigned to one operator. */
export interface OperatorAssignment {
  readonly operator: string;
  /** A TLD, or a public suffix below one. */
  readonly suffix: string;
}

export interface Reassignment extends OperatorAssignment {
  /** The current operator. */
  readonly to: string;
}

/** Names per statement, so that no statement blocks the checks of many names for long. */
const BATCH_SIZE = 5_000;

const SUFFIX = `substr(n.domain, position('.' in n.domain) + 1)`;

const SELECT_ASSIGNMENTS = {
  name: 'operator_assignments',
  text: `select distinct n.operator, ${SUFFIX} as suffix from watched_names n`,
};
const REASSIGN = {
  name: 'operator_assignments_reassign',
  text: `with found as (
           select n.domain, h."to" from jsonb_to_recordset($1::jsonb) as h(operator text, suffix text, "to" text)
             join watched_names n on n.operator = h.operator and ${SUFFIX} = h.suffix
           where n.domain > $2 order by n.domain limit ${BATCH_SIZE} for update of n skip locked),
         reassigned as (
           update watched_names n set operator = found."to" from found where n.domain = found.domain returning n.domain)
         select max(domain) as last, count(*)::int as names from reassigned`,
};

interface ReassignedBatch {
  /** null: no more names. */
  readonly last: string | null;
  readonly names: number;
}

/** The operator of each name, whose budget, blocks and breaker decide when it is checked, and what its names demand. */
@Injectable()
export class OperatorRepository {
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

  /** One statement, which reads every name. */
  findAssignments(): Promise<readonly OperatorAssignment[]> {
    return this.statements.runFullScan<OperatorAssignment>(SELECT_ASSIGNMENTS);
  }

  /**
   * Updates thousands of names per statement; rows locked by another writer are skipped.
   * @returns how many names were reassigned
   */
  async reassign(handovers: readonly Reassignment[]): Promise<number> {
    let total = 0;
    let last: string | null = '';
    while (last !== null) {
      const [reassigned]: ReassignedBatch[] = await this.statements.run<ReassignedBatch>(REASSIGN, [
        JSON.stringify(handovers),
        last,
      ]);
      total += reassigned?.names ?? 0;
      last = reassigned?.last ?? null;
    }
    return total;
  }
}
