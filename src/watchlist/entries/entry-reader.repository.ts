import { Injectable } from '@nestjs/common';
import type { LifecyclePhase } from '../../domains/language.js';
import type { PendingConfirmation } from '../domain/confirmation.js';
import type { EntrySettings } from '../domain/entry-settings.js';
import { toBackground, type WatchlistRow } from './watchlist-page.repository.js';
import { Visibility } from '../domain/visibility.js';
import { type SqlStatement, SqlClient } from '../../platform/database/sql-client.js';
import { entrySettingColumns, PendingColumn } from '../mappings.js';
import type { StoredRecord } from '../records/registration-records.repository.js';
import { type VisibleColumns, visibleColumns } from './visible-columns.sql.js';

/** All that an entry shows, as stored in its row and that of its name. */
export interface EntryDetails extends WatchlistRow {
  readonly phase: LifecyclePhase;
  readonly expires_at: Date | null;
  readonly settings: EntrySettings;
  readonly required_interval_minutes: number;
  /** Delay because the operator's budget is too small; 0 when it suffices or is unknown. */
  readonly budget_delay_minutes: number;
  readonly next_check_at: Date | null;
  readonly change_seq: number;
  readonly pending: PendingConfirmation | null;
  readonly failures: number;
  readonly failing_since: Date | null;
  readonly failure_code: string | null;
  readonly updated_at: Date;
}

const selectDetails = ({
  lastCheckedAt,
  facts,
  expiresAt,
  evidence,
  record,
  pending,
  failingSince,
  failures,
}: VisibleColumns) =>
  `select e.id, e.domain, e.status, ${entrySettingColumns.list('e.?')}, ${lastCheckedAt} as last_checked_at, e.created_at,
           e.phase, ${expiresAt} as expires_at, e.required_interval_minutes, n.next_check_at, e.change_seq, e.updated_at,
           ${pending} as pending, ${failures} as failures, ${failingSince} as failing_since, n.failure_code,
           ${facts} as facts, ${evidence} as evidence, ${record} as record,
           coalesce(l.delay_minutes, 0) as budget_delay_minutes
         from watch_entries e join watched_names n on n.domain = e.domain
           left join name_evidence v on v.domain = e.domain left join operator_loads l on l.operator = n.operator
         where e.account_id = $2 and`;
const EXISTS = { name: 'entry_exists', text: 'select 1 from watch_entries where id = $1 and account_id = $2' };

interface DetailsRow extends Omit<EntryDetails, 'pending' | 'background' | 'settings'> {
  readonly [column: string]: unknown;
  readonly pending: string | null;
  readonly facts: string | null;
  readonly evidence: string | null;
  readonly record: StoredRecord | null;
}

/** One statement each, outside of any transaction. */
@Injectable()
export class EntryReader {
  private readonly pending = new PendingColumn();

  private readonly one: SqlStatement;
  private readonly several: SqlStatement;

  constructor(
    private readonly statements: SqlClient,
    private readonly visibility: Visibility,
  ) {
    const details = selectDetails(visibleColumns(visibility));
    this.one = { name: 'entry_details', text: `${details} e.id = $1` };
    this.several = { name: 'entries_details', text: `${details} e.id = any($1)` };
  }

  async findDetails(accountId: string, id: string): Promise<EntryDetails | null> {
    const [row] = await this.statements.run<DetailsRow>(this.one, [id, accountId]);
    return row ? this.toDetails(row) : null;
  }

  /** Returns entries in no order; ids without one are left out. */
  async findAllDetails(accountId: string, ids: readonly string[]): Promise<readonly EntryDetails[]> {
    const rows = await this.statements.run<DetailsRow>(this.several, [ids, accountId]);
    return rows.map((row) => this.toDetails(row));
  }

  async exists(accountId: string, id: string): Promise<boolean> {
    return (await this.statements.run(EXISTS, [id, accountId])).length > 0;
  }

  private toDetails(row: DetailsRow): EntryDetails {
    const { facts, evidence, record, pending, ...entry } = row;
    const settings = entrySettingColumns.toFields(row);
    const background = toBackground(row, this.visibility);
    const known = this.pending.convertToJSValue(pending);
    return { ...entry, settings, background, pending: this.visibility.pending(known, { createdAt: entry.created_at }) };
  }
}
