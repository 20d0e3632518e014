import { Injectable } from '@nestjs/common';
import { SqlClient } from '../../../platform/database/sql-client.js';
import { type RoutineUpdate, RoutineUpdateRepository } from '../../application/ports/routine-update-repository.js';
import { watchedNameColumns } from '../mappings.js';

/** What a routine update may change: never facts or transitions. */
const CHANGED = watchedNameColumns.pick(
  ...(['revision', 'operator', 'urgency', 'nextCheckAt', 'source', 'factsConfirmedAt', 'pending'] as const),
  ...(['lastCheckedAt', 'failures', 'failingSince', 'failureCode'] as const),
);

/**
 * Optimistic concurrency: a name that changed since it was read (a new watcher scheduled a check, a live check wrote a
 * result) is not overwritten. Its lease ends here, and the caller takes the transactional path for it.
 */
const SAVE = {
  name: 'routine_updates_save',
  text: `with updates as (
           select * from json_to_recordset($1::json) as t(
             domain text, was_revision int, ${CHANGED.definitions})),
         ended as (
           delete from leases l
           where l.domain = any($3::text[]) and l.token = $2 and l.until > now() returning l.domain),
         saved as (
           update watched_names n
           set ${CHANGED.list('? = t.?')}
           from updates t
           where t.domain in (select domain from ended)
             and n.domain = t.domain and n.revision = t.was_revision and n.next_check_at is not null
           returning n.domain)
         select domain from ended where domain not in (select domain from saved)`,
};

@Injectable()
export class PostgresRoutineUpdateRepository extends RoutineUpdateRepository {
  constructor(private readonly statements: SqlClient) {
    super();
  }

  async saveAll(updates: readonly RoutineUpdate[], token: string): Promise<ReadonlySet<string>> {
    const rows = updates.map(({ watchedName, expected }) => ({
      ...CHANGED.toRow(watchedName),
      domain: watchedName.domain,
      was_revision: expected.revision,
    }));
    const names = rows.map(({ domain }) => domain);
    const overtaken = await this.statements.run<{ domain: string }>(SAVE, [JSON.stringify(rows), token, names]);
    return new Set(overtaken.map(({ domain }) => domain));
  }
}
