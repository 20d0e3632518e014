import { Injectable } from '@nestjs/common';
import type { LifecyclePhase } from '../../domains/language.js';
import { Config } from '../../config.js';
import { Statements } from '../../platform/statements.js';
import { type Page, type PageRequest, WatchlistPages, type WatchlistRow } from '../domain/watchlist-pages.js';
import { evidenceIn, FactsColumn } from './column-types.js';
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
    const [page, count] = [pageStatement(request, this.columns), countStatement(request)];
    const [rows, [counted]] = await Promise.all([
      this.statements.run<Row>(page.statement, page.values),
      this.statements.run<{ total: number }>(count.statement, count.values),
    ]);
    return { rows: request.expanded ? rows.map((row) => this.expanded(row)) : rows, total: counted?.total ?? 0 };
  }

  async total(accountId: string): Promise<number> {
    const { statement, values } = countStatement({ accountId });
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
