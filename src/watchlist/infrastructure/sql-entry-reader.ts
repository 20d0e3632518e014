import { Injectable } from '@nestjs/common';
import { Statements } from '../../platform/statements.js';
import { type EntryDetails, EntryReader } from '../domain/entry-details.js';
import { evidenceIn, FactsColumn, PendingColumn } from './column-types.js';

const DETAILS = {
  name: 'entry_details',
  text: `select e.id, e.domain, e.status, e.interval_minutes, n.last_checked_at, e.created_at, e.phase,
           (n.facts::jsonb ->> 'expiresAt')::timestamptz as expires_at, e.expiring_window_days, e.plan_floor_minutes,
           n.next_check_at, e.paused, e.tags, e.note, e.intent, e.change_seq, n.pending, n.failures, n.failing_since,
           n.failure_code, e.updated_at, n.facts, v.evidence, coalesce(l.delay_minutes, 0) as budget_delay_minutes
         from watch_entries e join watched_names n on n.domain = e.domain
           left join name_evidence v on v.domain = e.domain left join operator_loads l on l.operator = n.operator
         where e.id = $1 and e.account_id = $2`,
};
const EXISTS = { name: 'entry_exists', text: 'select 1 from watch_entries where id = $1 and account_id = $2' };

interface Stored extends Omit<EntryDetails, 'pending' | 'background'> {
  readonly pending: string | null;
  readonly facts: string | null;
  readonly evidence: string | null;
}

@Injectable()
export class SqlEntryReader extends EntryReader {
  private readonly pending = new PendingColumn();
  private readonly facts = new FactsColumn();

  constructor(private readonly statements: Statements) {
    super();
  }

  async detailsOf(accountId: string, id: string): Promise<EntryDetails | null> {
    const [row] = await this.statements.run<Stored>(DETAILS, [id, accountId]);
    if (!row) return null;
    const { facts, evidence, pending, ...entry } = row;
    const proven = this.facts.convertToJSValue(facts);
    const background = { phase: entry.phase, facts: proven, evidence: evidenceIn(evidence ?? '[]') };
    return { ...entry, background, pending: this.pending.convertToJSValue(pending) };
  }

  async exists(accountId: string, id: string): Promise<boolean> {
    return (await this.statements.run(EXISTS, [id, accountId])).length > 0;
  }
}
