import { Injectable } from '@nestjs/common';
import type { LifecyclePhase } from '../../domains/language.js';
import { IsolationConfig } from '../../config/sections.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import { type Page, type PageRequest, WatchlistPageReader, type WatchlistRow } from './watchlist-page-reader.js';
import { parseEvidence, FactsColumn } from '../column-types.js';
import { segmentCountStatement, lastCheckPageStatement } from './last-check-page.sql.js';
import type { ListFilters } from './list-filters.sql.js';
import { parseRecord, type StoredRecord } from '../records/stored-record.js';
import { evidenceSince, type VisibleColumns, visibleColumns } from './visible-columns.sql.js';
import { countStatement, pageStatement } from './watchlist-page.sql.js';

interface EntryRow extends Omit<WatchlistRow, 'background'> {
  readonly phase?: LifecyclePhase;
  readonly facts?: string | null;
  readonly evidence?: string | null;
  readonly record?: StoredRecord | null;
}

@Injectable()
export class PostgresWatchlistPageReader extends WatchlistPageReader {
  private readonly facts = new FactsColumn();

  private readonly columns: VisibleColumns;

  constructor(
    private readonly statements: SqlClient,
    private readonly config: IsolationConfig,
  ) {
    super();
    this.columns = visibleColumns(config.accountIsolation);
  }

  async findPage(request: PageRequest): Promise<Page> {
    const { rows, total } = await this.read(request);
    return { rows: request.expanded ? rows.map((row) => this.withBackground(row)) : rows, total };
  }

  async countEntries(accountId: string): Promise<number> {
    return this.count({ accountId });
  }

  private async read(request: PageRequest): Promise<{ rows: EntryRow[]; total: number }> {
    if (request.sort === 'last_checked_at' && !this.columns.isIsolated) return this.readByLastCheck(request);
    const { statement, values } = pageStatement(request, this.columns);
    const [rows, total] = await Promise.all([this.statements.run<EntryRow>(statement, values), this.count(request)]);
    return { rows, total };
  }

  private async readByLastCheck(request: PageRequest): Promise<{ rows: EntryRow[]; total: number }> {
    const segmentCount = segmentCountStatement(request);
    const [counted] = await this.statements.run<{ total: number; first: number }>(
      segmentCount.statement,
      segmentCount.values,
    );
    const { total, first } = counted ?? { total: 0, first: 0 };
    const page = lastCheckPageStatement(request, this.columns, first);
    return { rows: await this.statements.run<EntryRow>(page.statement, page.values), total };
  }

  private async count(filters: ListFilters): Promise<number> {
    const { statement, values } = countStatement(filters);
    const [counted] = await this.statements.run<{ total: number }>(statement, values);
    return counted?.total ?? 0;
  }

  private withBackground({ phase, facts, evidence, record = null, ...row }: EntryRow): WatchlistRow {
    if (phase === undefined) return row;
    const proven = this.facts.convertToJSValue(facts ?? null);
    const since = this.config.accountIsolation ? row.created_at : new Date(0);
    const visibleEvidence = evidenceSince(parseEvidence(evidence ?? '[]'), since);
    const confirmed = { phase, facts: proven, evidence: visibleEvidence, record: parseRecord(record) };
    return { ...row, background: confirmed };
  }
}
