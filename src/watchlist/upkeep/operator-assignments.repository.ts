import { Injectable } from '@nestjs/common';
import { SqlClient } from '../../platform/database/sql-client.js';
import {
  type Reassignment,
  type OperatorAssignment,
  OperatorAssignmentRepository,
} from './operator-assignment-repository.js';

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

@Injectable()
export class PostgresOperatorAssignmentRepository extends OperatorAssignmentRepository {
  constructor(private readonly statements: SqlClient) {
    super();
  }

  findAll(): Promise<readonly OperatorAssignment[]> {
    return this.statements.runFullScan<OperatorAssignment>(SELECT_ASSIGNMENTS);
  }

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
