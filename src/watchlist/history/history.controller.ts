import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentAccount } from '../../auth/index.js';
import { RequiresScope } from '../../auth/views.js';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { PageQuery } from '../../platform/http/page.js';
import { HistoryRepository } from '../records/history.repository.js';
import { EntryNotFound } from '../domain/watch-entry.js';
import {
  HISTORY_EXAMPLES,
  HistoryView,
  intervalView,
  removedView,
  REMOVED_EXAMPLES,
  RemovedEntriesView,
} from './history-view.js';
import { DomainName } from '../../domains/language.js';
import { ENTRY_ID_PARAM, RemovedQuery } from '../entries/list-query.dto.js';

/** A separate controller, because the history remains after the entry was removed. */
@ApiTags('Watchlist')
@Controller('v1/watchlist/:id/history')
export class HistoryController {
  constructor(private readonly history: HistoryRepository) {}

  @Get()
  @RequiresScope('watchlist:read')
  @ApiOperation({
    operationId: 'getWatchlistHistory',
    summary: 'List the history of an entry, newest first',
    description:
      "Also of an entry that was removed, for as long as the account's plan keeps history; watching the name again begins " +
      'another one, under the id of the new entry.',
  })
  @ApiParam(ENTRY_ID_PARAM)
  @ApiOkResponse({ description: 'One page.', type: HistoryView, examples: HISTORY_EXAMPLES })
  @ApiProblems('invalid_request', 'not_found')
  async list(
    @CurrentAccount() account: Caller['account'],
    @Param('id') id: string,
    @Query() { page, per_page }: PageQuery,
  ): Promise<HistoryView> {
    const history = await this.history.findPage(account.id, id, page, per_page);
    if (!history) throw new EntryNotFound();
    const { rows, total, removed } = history;
    return { data: rows.map(intervalView), meta: { page, per_page, total }, removed: removed && removedView(removed) };
  }
}

/** Lists names that are no longer watched, each with the id of its history and the request that removed it. */
@ApiTags('Watchlist')
@Controller('v1/watchlist/removed')
export class RemovedEntriesController {
  constructor(private readonly history: HistoryRepository) {}

  @Get()
  @RequiresScope('watchlist:read')
  @ApiOperation({
    operationId: 'listRemovedEntries',
    summary: 'List the removed entries, newest first',
    description:
      "For as long as the account's plan keeps history, however they were removed: by a request each, or by a file.",
  })
  @ApiOkResponse({ description: 'One page.', type: RemovedEntriesView, examples: REMOVED_EXAMPLES })
  @ApiProblems(
    'invalid_request',
    'domain_malformed',
    'domain_is_ip',
    'domain_single_label',
    'domain_too_long',
    'label_too_long',
  )
  async list(
    @CurrentAccount() { id: accountId }: Caller['account'],
    @Query() { domain: spelling, page, per_page }: RemovedQuery,
  ): Promise<RemovedEntriesView> {
    const domain = spelling === undefined ? null : DomainName.parseAnySuffix(spelling).ascii;
    const { rows, total } = await this.history.findRemoved(accountId, domain, page, per_page);
    return { data: rows.map(removedView), meta: { page, per_page, total } };
  }
}
