import { Injectable } from '@nestjs/common';
import type { WatchedName } from '../domain/watched-name.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import { watchedNameColumns } from '../mappings.js';

export interface RoutineUpdate {
  readonly watchedName: WatchedName;
  readonly readRevision: number;
  /** Whether to update the copies of `answered` and `failing` in the name's entries. Lists filter by these copies. */
  readonly isShownAnew: boolean;
}

/** The columns that a routine result can change. A result that changes other columns gets its own transaction. */
const CHANGED = watchedNameColumns.without('domain', 'intervalMinutes', 'facts', 'factsSince', 'lastTransition');

/** Ends the leases, but skips names that changed since they were read. The caller then applies the skipped results. */
const SAVE = {
  name: 'routine_updates_save',
  text: `with updates as (
           select * from json_to_recordset($1::json) as t(
             domain text, read_revision int, is_shown_anew boolean, ${CHANGED.definitions})),
         ended as (
           delete from check_leases l
           where l.domain = any($3::text[]) and l.token = $2 and l.until > now() returning l.domain),
         saved as (
           update watched_names n
           set ${CHANGED.list('? = t.?')}, traceparent = null
           from updates t
           where t.domain in (select domain from ended)
             and n.domain = t.domain and n.revision = t.read_revision and n.next_check_at is not null
           returning n.domain),
         shown as (
           update watch_entries e
           set answered = e.answered or coalesce(e.created_at <= t.last_checked_at, false),
             failing = t.failing_since is not null
           from updates t join saved using (domain)
           where t.is_shown_anew and e.domain = t.domain
             and (not e.answered or e.failing <> (t.failing_since is not null)))
         select domain from ended where domain not in (select domain from saved)`,
};

/** Writes routine results, which cause no events, and ends the leases (time-limited locks) of their names. */
@Injectable()
export class RoutineUpdateRepository {
  constructor(private readonly statements: SqlClient) {}

  /** @returns the skipped names, which changed since they were read; the caller must still apply their results */
  async saveAll(updates: readonly RoutineUpdate[], token: string): Promise<ReadonlySet<string>> {
    const rows = updates.map(({ watchedName, readRevision, isShownAnew }) => ({
      ...CHANGED.toRow(watchedName),
      domain: watchedName.domain,
      read_revision: readRevision,
      ...(isShownAnew && { is_shown_anew: true }),
    }));
    const names = rows.map(({ domain }) => domain);
    const overtaken = await this.statements.run<{ domain: string }>(SAVE, [JSON.stringify(rows), token, names]);
    return new Set(overtaken.map(({ domain }) => domain));
  }
}
