import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentAccount } from '../../auth/index.js';
import { RequiresScope } from '../../auth/views.js';
import { DomainName } from '../../domains/language.js';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { HistoryRepository } from '../records/history.repository.js';
import { REMOVED_EXAMPLES, RemovedEntriesView, removedView } from './history-view.js';
import { RemovedQuery } from '../entries/list-query.dto.js';

/** What a name that is no longer watched leads to: the id of its history, and the request that removed it. */
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
    ...(['invalid_request', 'domain_malformed', 'domain_is_ip', 'domain_single_label'] as const),
    ...(['domain_too_long', 'label_too_long'] as const),
  )
  async list(
    @CurrentAccount() { id: accountId }: Caller['account'],
    @Query() { domain: spelling, page, per_page }: RemovedQuery,
  ): Promise<RemovedEntriesView> {
    const domain = spelling === undefined ? null : DomainName.parseAnySuffix(spelling).ascii;
    const { rows, total } = await this.history.findRemoved({ accountId, domain, page, perPage: per_page });
    return { data: rows.map(removedView), meta: { page, per_page, total } };
  }
}
