import { Injectable } from '@nestjs/common';
import { SqlClient } from '../../../platform/database/sql-client.js';
import { type RoutineUpdate, RoutineUpdateRepository } from '../../application/ports/routine-update-repository.js';
import { toRoutineRow } from '../watched-name-row.js';

/**
 * Optimistic concurrency: a name that changed since it was read (a new watcher scheduled a check, a live check wrote a
 * result) is not overwritten. Its lease ends here, and the caller takes the transactional path for it.
 */
const SAVE = {
  name: 'routine_updates_save',
  text: `with updates as (
           select * from json_to_recordset($1::json) as t(
             domain text, was_revision int, revision int, operator text, urgency smallint,
             next_check_at timestamptz, source text, proof_at timestamptz, pending text, last_checked_at timestamptz,
             failures int, failing_since timestamptz, failure_code text)),
         ended as (
           delete from leases l
           where l.domain = any($3::text[]) and l.token = $2 and l.until > now() returning l.domain),
         saved as (
           update watched_names n
           set revision = t.revision, operator = t.operator, urgency = t.urgency, next_check_at = t.next_check_at,
             source = t.source, proof_at = t.proof_at, pending = t.pending, last_checked_at = t.last_checked_at,
             failures = t.failures, failing_since = t.failing_since, failure_code = t.failure_code
           from updates t
           where t.domain in (select domain from ended)
             and n.domain = t.domain and n.revision = t.was_revision and n.next_check_at is not null
           returning n.domain)
         select domain from ended where domain not in (select domain from saved)`,
};

@Injectable()
export class PostgresRoutineUpdates extends RoutineUpdateRepository {
  constructor(private readonly statements: SqlClient) {
    super();
  }

  async record(looks: readonly RoutineUpdate[], token: string): Promise<ReadonlySet<string>> {
    const rows = looks.map(({ watched, before }) => ({
      ...toRoutineRow(watched),
      was_revision: before.revision,
    }));
    const names = rows.map(({ domain }) => domain);
    const overtaken = await this.statements.run<{ domain: string }>(SAVE, [JSON.stringify(rows), token, names]);
    return new Set(overtaken.map(({ domain }) => domain));
  }
}
