import { Injectable } from '@nestjs/common';
import { Statements } from '../../platform/statements.js';
import { type RoutineLook, RoutineLooks } from '../domain/routine-looks.js';
import { routineColumns } from './watched-name-row.js';

/**
 * A name that somebody changed since it was read (a newcomer wants a look at once, a check recorded something) keeps
 * what they wrote: it ends its lease here and is taken in by the long way.
 */
const RECORD = {
  name: 'routine_looks_record',
  text: `with told as (
           select * from jsonb_to_recordset($1::jsonb) as t(
             domain text, was_revision int, revision int, operator text, urgency smallint,
             next_check_at timestamptz, source text, proof_at timestamptz, pending text, last_checked_at timestamptz,
             failures int, failing_since timestamptz, failure_code text)),
         ended as (
           delete from leases l using told t
           where l.domain = t.domain and l.token = $2 and l.until > now() returning l.domain),
         saved as (
           update watched_names n
           set revision = t.revision, operator = t.operator, urgency = t.urgency, next_check_at = t.next_check_at, source = t.source,
             proof_at = t.proof_at, pending = t.pending, last_checked_at = t.last_checked_at,
             failures = t.failures, failing_since = t.failing_since, failure_code = t.failure_code
           from told t join ended on ended.domain = t.domain
           where n.domain = t.domain and n.revision = t.was_revision and n.next_check_at is not null
           returning n.domain)
         select ended.domain, saved.domain is not null as "isSaved"
         from ended left join saved on saved.domain = ended.domain`,
};

@Injectable()
export class SqlRoutineLooks extends RoutineLooks {
  constructor(private readonly statements: Statements) {
    super();
  }

  async record(looks: readonly RoutineLook[], token: string): Promise<ReadonlySet<string>> {
    const told = looks.map(({ watched, before }) => ({
      ...routineColumns(watched),
      was_revision: before.revision,
    }));
    type Ended = { readonly domain: string; readonly isSaved: boolean };
    const ended = await this.statements.run<Ended>(RECORD, [JSON.stringify(told), token]);
    return new Set(ended.flatMap(({ domain, isSaved }) => (isSaved ? [] : [domain])));
  }
}
