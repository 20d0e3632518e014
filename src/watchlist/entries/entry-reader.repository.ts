import { Injectable } from '@nestjs/common';
import type { LifecyclePhase, RegistrationRecord } from '../../domains/language.js';
import { URGENCIES } from '../domain/check-schedule.js';
import type { PendingConfirmation } from '../domain/confirmation.js';
import type { EntryFilters } from '../domain/entry-filters.js';
import type { EntrySettings } from '../domain/entry-settings.js';
import { toBackground, type WatchlistRow } from './watchlist-page.repository.js';
import { pendingSince } from '../domain/visibility.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import { entrySettingColumns, PENDING_COLUMN } from '../mappings.js';
import { parseRecord, type StoredRecord } from '../records/registration-records.repository.js';
import { JOIN_MINIMUM, REQUIRED_INTERVAL } from '../watched-names.repository.js';
import { toConditions } from './entry-filters.sql.js';
import { VISIBLE } from './visible-columns.sql.js';

export interface EntryDetails extends WatchlistRow {
  readonly phase: LifecyclePhase;
  readonly expires_at: Date | null;
  readonly settings: EntrySettings;
  readonly required_interval_minutes: number;
  readonly next_check_at: Date | null;
  /** The earliest due time of all routine checks of the operator's names, in the past or in the future. */
  readonly operator_due_since: Date | null;
  /** Whether recent queries still count against the operator's rate limit. If so, the limit explains late checks. */
  readonly operator_at_limit: boolean;
  readonly change_seq: number;
  readonly pending: PendingConfirmation | null;
  readonly failures: number;
  readonly failing_since: Date | null;
  readonly failure_code: string | null;
  readonly updated_at: Date;
}

/** The due time of the operator's first routine check. Reads one index entry, however many names the operator has. */
const OPERATOR_DUE_SINCE = `(select l.next_check_at from watched_names l
  where l.operator = n.operator and l.urgency = ${URGENCIES.routine} and l.next_check_at is not null
  order by l.next_check_at limit 1)`;
const DETAILS = {
  name: 'entries_details',
  text: `select e.id, e.domain, e.status, ${entrySettingColumns.list('e.?')}, ${VISIBLE.lastCheckedAt} as last_checked_at, e.created_at,
           e.phase, ${VISIBLE.expiresAt} as expires_at, ${REQUIRED_INTERVAL} as required_interval_minutes, n.next_check_at, e.change_seq, e.updated_at,
           ${VISIBLE.pending} as pending, ${VISIBLE.failures} as failures, ${VISIBLE.failingSince} as failing_since, n.failure_code,
           ${VISIBLE.facts} as facts, ${VISIBLE.evidence} as evidence, ${VISIBLE.record} as record,
           ${OPERATOR_DUE_SINCE} as operator_due_since, coalesce(o.full_at > now(), false) as operator_at_limit
         from watch_entries e join watched_names n on n.domain = e.domain ${JOIN_MINIMUM}
           left join name_evidence v on v.domain = e.domain left join registry_operators o on o.operator = n.operator
         where e.account_id = $2 and e.id = any($1)`,
};

const RECORDS = {
  name: 'records_of_entries',
  text: `select e.domain, ${VISIBLE.record} as record from watch_entries e join watched_names n on n.domain = e.domain
         where e.account_id = $1 and e.domain = any($2::text[])`,
};

interface DetailsRow extends Omit<EntryDetails, 'pending' | 'background' | 'settings'> {
  readonly [column: string]: unknown;
  readonly pending: string | null;
  readonly facts: string | null;
  readonly evidence: string | null;
  readonly record: StoredRecord | null;
}

@Injectable()
export class EntryReader {
  constructor(private readonly statements: SqlClient) {}

  async findDetails(accountId: string, id: string): Promise<EntryDetails | null> {
    const [entry] = await this.findAllDetails(accountId, [id]);
    return entry ?? null;
  }

  /** Returns the entries in no particular order. Ids without an entry are left out. */
  async findAllDetails(accountId: string, ids: readonly string[]): Promise<readonly EntryDetails[]> {
    const rows = await this.statements.run<DetailsRow>(DETAILS, [ids, accountId]);
    return rows.map((row) => this.toDetails(row));
  }

  /** Returns sorted A-labels. Reads them as one text, because a row for each would take ten times the memory. */
  async findDomains(filters: EntryFilters): Promise<readonly string[]> {
    const { where, values } = toConditions(filters);
    const text = `select string_agg(e.domain, ' ' order by e.domain) as domains from watch_entries e where ${where}`;
    const [found] = await this.statements.run<{ domains: string | null }>({ name: '', text }, values);
    return found?.domains?.split(' ') ?? [];
  }

  /** Returns the names whose entry matches now. Call inside a unit of work that has locked the names. */
  async findMatching(filters: EntryFilters, domains: readonly string[]): Promise<ReadonlySet<string>> {
    const { where, values } = toConditions(filters);
    const text = `select e.domain from watch_entries e where ${where} and e.domain = any($${values.length + 1}::text[])`;
    const found = await this.statements.run<{ domain: string }>({ name: '', text }, [...values, domains]);
    return new Set(found.map(({ domain }) => domain));
  }

  /** Leaves out values from before the account watched the name. A name without a record has null. */
  async findRecords(
    accountId: string,
    domains: readonly string[],
  ): Promise<ReadonlyMap<string, RegistrationRecord | null>> {
    type Row = { readonly domain: string; readonly record: StoredRecord | null };
    const found = await this.statements.run<Row>(RECORDS, [accountId, domains]);
    return new Map(found.map(({ domain, record }) => [domain, parseRecord(record)]));
  }

  private toDetails(row: DetailsRow): EntryDetails {
    const { facts, evidence, record, pending, ...entry } = row;
    const settings = entrySettingColumns.toFields(row);
    const background = toBackground(row);
    const known = PENDING_COLUMN.convertToJSValue(pending);
    return { ...entry, settings, background, pending: pendingSince({ createdAt: entry.created_at }, known) };
  }
}
