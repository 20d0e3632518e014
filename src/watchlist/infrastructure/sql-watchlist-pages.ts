import { Injectable } from '@nestjs/common';
import { Statements } from '../../platform/statements.js';
import { type Page, type PageRequest, WatchlistPages, type WatchlistRow } from '../domain/watchlist-pages.js';
import { WATCHLIST, WATCHLIST_BY_STATUS } from './watchlist-statements.js';

@Injectable()
export class SqlWatchlistPages extends WatchlistPages {
  constructor(private readonly statements: Statements) {
    super();
  }

  async page({ accountId, status, page, perPage }: PageRequest): Promise<Page> {
    const offset = (page - 1) * perPage;
    const { page: rowsOf, count: countOf } = status ? WATCHLIST_BY_STATUS : WATCHLIST;
    const filter = status ? [status] : [];
    const [rows, [counted]] = await Promise.all([
      this.statements.run<WatchlistRow>(rowsOf, [accountId, perPage, offset, ...filter]),
      this.statements.run<{ total: number }>(countOf, [accountId, ...filter]),
    ]);
    return { rows, total: counted?.total ?? 0 };
  }
}
