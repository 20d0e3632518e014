import { Injectable } from '@nestjs/common';
import type { WatchedName, WatchedNameFields } from '../domain/watched-name.js';
import { SqlClient, type SqlStatement } from '../../platform/database/sql-client.js';
import { watchedNameColumns } from '../mappings.js';

/** Every column but those that a routine update leaves alone: facts and transitions, and what entries decide. */
const CHANGED = watchedNameColumns.without('domain', 'intervalMinutes', 'facts', 'factsSince', 'lastTransition');
/** What remains as it was, unless a check did more than confirm the facts and set the time of the next one. */
const STEADY = CHANGED.without('revision', 'nextCheckAt', 'factsConfirmedAt', 'lastCheckedAt');

export interface SteadyState {
  readonly revision: number;
  readonly values: readonly unknown[];
}

export function steadyStateOf(name: WatchedName): SteadyState {
  return { revision: name.revision, values: STEADY.valuesOf(name) };
}

/** Whether the check has confirmed the facts and set the time of the next one, and nothing else. */
export function changesTimesOnly(name: WatchedName, before: SteadyState): boolean {
  const { revision, nextCheckAt, factsConfirmedAt, lastCheckedAt } = name;
  return (
    revision === before.revision + 1 &&
    nextCheckAt !== null &&
    factsConfirmedAt !== null &&
    factsConfirmedAt.getTime() === lastCheckedAt?.getTime() &&
    STEADY.valuesOf(name).every((value, at) => value === before.values[at])
  );
}

/** A checked name of which only its own row changes, and the revision it was read with. */
export interface RoutineUpdate {
  readonly watchedName: WatchedName;
  readonly expected: Pick<WatchedNameFields, 'revision'>;
}

/**
 * Optimistic concurrency: a name that changed since it was read (a new watcher scheduled a check, a live check wrote a
 * result) is not overwritten. Its lease ends here, and the caller takes the transactional path for it.
 */
const SAVE = {
  name: 'routine_updates_save',
  text: saveStatement({
    names: '$3::text[]',
    updates: `select * from json_to_recordset($1::json) as t(domain text, was_revision int, ${CHANGED.definitions})`,
    changes: CHANGED.list('? = t.?'),
  }),
};

/** The same for what nearly all checks change: narrow arrays cost a third less than JSON, and no object for each row. */
const SAVE_TIMES = {
  name: 'routine_updates_save_times',
  text: saveStatement({
    names: '$1::text[]',
    updates: `select * from unnest($1::text[], $3::int[], $4::timestamptz[], $5::timestamptz[])
                as t(domain, was_revision, next_check_at, checked_at)`,
    changes: `revision = n.revision + 1, next_check_at = t.next_check_at, facts_confirmed_at = t.checked_at,
              last_checked_at = t.checked_at`,
  }),
};

function saveStatement({ names, updates, changes }: Record<'names' | 'updates' | 'changes', string>): string {
  return `with updates as (${updates}),
         ended as (
           delete from check_leases l
           where l.domain = any(${names}) and l.token = $2 and l.until > now() returning l.domain),
         saved as (
           update watched_names n
           set ${changes}
           from updates t
           where t.domain in (select domain from ended)
             and n.domain = t.domain and n.revision = t.was_revision and n.next_check_at is not null
           returning n.domain)
         select domain from ended where domain not in (select domain from saved)`;
}

/** Writes routine results: no new facts, no entry concerned. Both methods end the leases. */
@Injectable()
export class RoutineUpdateRepository {
  constructor(private readonly statements: SqlClient) {}

  /**
   * One statement for all. Nothing is written for a name whose lease has expired.
   * @returns names whose lease was ended but whose revision has changed: their results need the transactional path
   */
  async saveAll(updates: readonly RoutineUpdate[], token: string): Promise<ReadonlySet<string>> {
    const rows = updates.map(({ watchedName, expected }) => ({
      ...CHANGED.toRow(watchedName),
      domain: watchedName.domain,
      was_revision: expected.revision,
    }));
    const names = rows.map(({ domain }) => domain);
    return this.save(SAVE, [JSON.stringify(rows), token, names]);
  }

  /** The same for names of which only the times of their checks have changed, which costs less. */
  async saveTimes(updates: readonly RoutineUpdate[], token: string): Promise<ReadonlySet<string>> {
    const names = updates.map(({ watchedName }) => watchedName.domain);
    const revisions = updates.map(({ expected }) => expected.revision);
    const nextChecks = updates.map(({ watchedName }) => watchedName.nextCheckAt?.toISOString());
    const checks = updates.map(({ watchedName }) => watchedName.lastCheckedAt?.toISOString());
    return this.save(SAVE_TIMES, [
      toArrayLiteral(names),
      token,
      ...[revisions, nextChecks, checks].map(toArrayLiteral),
    ]);
  }

  private async save(statement: SqlStatement, values: readonly unknown[]): Promise<ReadonlySet<string>> {
    const overtaken = await this.statements.run<{ domain: string }>(statement, values);
    return new Set(overtaken.map(({ domain }) => domain));
  }
}

/** Of A-labels, numbers and ISO dates, in which nothing needs to be quoted; the driver would check each for that. */
function toArrayLiteral(values: readonly unknown[]): string {
  return `{${values.join()}}`;
}
