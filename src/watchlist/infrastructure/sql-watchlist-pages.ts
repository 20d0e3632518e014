import { Injectable } from '@nestjs/common';
import type { LifecyclePhase } from '../../domains/language.js';
import { Config } from '../../config/config.js';
import { Statements } from '../../platform/database/sql-client.js';
import { type Page, type PageRequest, WatchlistPages, type WatchlistRow } from '../domain/watchlist-pages.js';
import { evidenceIn, FactsColumn } from './column-types.js';
import { firstPartStatement, lastAnswerPageStatement } from './last-answer-statements.js';
import type { Filters } from './list-filters.js';
import { evidenceSince, type NameColumns, nameColumns } from './name-columns.js';
import { countStatement, pageStatement } from './watchlist-statements.js';

interface Row extends Omit<WatchlistRow, 'background'> {
  readonly phase?: LifecyclePhase;
  readonly facts?: string | null;
  readonly evidence?: string | null;
}

@Injectable()
export class SqlWatchlistPages extends WatchlistPages {
  private readonly facts = new FactsColumn();

  private readonly columns: NameColumns;

  constructor(
    private readonly statements: Statements,
    private readonly config: Config,
  ) {
    super();
    this.columns = nameColumns(config.accountIsolation);
  }

  async page(request: PageRequest): Promise<Page> {
    const { rows, total } = await this.read(request);
    return { rows: request.expanded ? rows.map((row) => this.expanded(row)) : rows, total };
  }

  async total(accountId: string): Promise<number> {
    return this.count({ accountId });
  }

  private async read(request: PageRequest): Promise<{ rows: Row[]; total: number }> {
    if (request.sort === 'last_checked_at' && !this.columns.isIsolated) return this.readByLastAnswer(request);
    const { statement, values } = pageStatement(request, this.columns);
    const [rows, total] = await Promise.all([this.statements.run<Row>(statement, values), this.count(request)]);
    return { rows, total };
  }

  private async readByLastAnswer(request: PageRequest): Promise<{ rows: Row[]; total: number }> {
    const parts = firstPartStatement(request);
    const [counted] = await this.statements.run<{ total: number; first: number }>(parts.statement, parts.values);
    const { total, first } = counted ?? { total: 0, first: 0 };
    const page = lastAnswerPageStatement(request, this.columns, first);
    return { rows: await this.statements.run<Row>(page.statement, page.values), total };
  }

  private async count(filters: Filters): Promise<number> {
    const { statement, values } = countStatement(filters);
    const [counted] = await this.statements.run<{ total: number }>(statement, values);
    return counted?.total ?? 0;
  }

  private expanded({ phase, facts, evidence, ...row }: Row): WatchlistRow {
    if (phase === undefined) return row;
    const proven = this.facts.convertToJSValue(facts ?? null);
    const since = this.config.accountIsolation ? row.created_at : new Date(0);
    const rests = evidenceSince(evidenceIn(evidence ?? '[]'), since);
    return { ...row, background: { phase, facts: proven, evidence: rests } };
  }
}
