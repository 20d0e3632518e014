import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccountUsage, type Caller, CurrentAccount, CurrentCaller } from '../../auth/index.js';
import { grants } from '../../auth/language.js';
import { RequiresScope } from '../../auth/views.js';
import { OperatorRateLimits } from '../../domains/index.js';
import { Clock } from '../../kernel/clock.js';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import {
  OPERATORS_EXAMPLES,
  OperatorsView,
  SUMMARY_EXAMPLES,
  WatchlistSummaryView,
  TAGS_EXAMPLES,
  TagsQuery,
  TagsView,
} from './summary.dto.js';
import { SummaryReader } from './summary.repository.js';

@ApiTags('Watchlist')
@Controller('v1/watchlist')
export class SummaryController {
  constructor(
    private readonly summary: SummaryReader,
    private readonly use: AccountUsage,
    private readonly operators: OperatorRateLimits,
    private readonly clock: Clock,
  ) {}

  @Get('summary')
  @RequiresScope('watchlist:read')
  @ApiOperation({
    operationId: 'getWatchlistSummary',
    summary: 'Count what needs action, and what expires in the next twelve months',
  })
  @ApiOkResponse({ description: 'Exact counts.', type: WatchlistSummaryView, examples: SUMMARY_EXAMPLES })
  @ApiProblems()
  async count(@CurrentCaller() { account: { id }, scopes }: Caller): Promise<WatchlistSummaryView> {
    const now = this.clock.now();
    const maySeeChannels = grants(scopes, 'notifications:read');
    const [entries, needs, failingChannels, statuses, expiries] = await Promise.all([
      this.use.count('entries', id),
      this.summary.countNeeds(id, now),
      maySeeChannels ? this.use.count('failing_channels', id) : null,
      this.summary.countByStatus(id),
      this.summary.countExpiries(id, now),
    ]);
    return {
      entries,
      action_needed: { ...needs, failing_channels: failingChannels },
      statuses,
      expires_by_month: [...expiries],
    };
  }

  @Get('tags')
  @RequiresScope('watchlist:read')
  @ApiOperation({ operationId: 'listTags', summary: 'List the tags of all entries' })
  @ApiOkResponse({ description: 'One page, the most frequent first.', type: TagsView, examples: TAGS_EXAMPLES })
  @ApiProblems('invalid_request')
  async listTags(
    @CurrentAccount() { id: accountId }: Caller['account'],
    @Query() { page, per_page, search }: TagsQuery,
  ): Promise<TagsView> {
    const { rows, total } = await this.summary.findTags({
      ...{ accountId, search: search ?? null },
      ...{ page, perPage: per_page },
    });
    return { data: rows.map(({ name: tag, entries }) => ({ tag, entries })), meta: { page, per_page, total } };
  }

  @Get('operators')
  @RequiresScope('watchlist:read')
  @ApiOperation({ operationId: 'listOperators', summary: 'List the registry operators of all entries' })
  @ApiOkResponse({
    description: 'All of them, those with the most entries first.',
    type: OperatorsView,
    examples: OPERATORS_EXAMPLES,
  })
  @ApiProblems()
  async listOperators(@CurrentAccount() { id }: Caller['account']): Promise<OperatorsView> {
    const tlds = await this.summary.countByTld(id);
    const byOperator = Map.groupBy(tlds, ({ name }) => this.operators.operatorOfTld(name));
    const data = [...byOperator].map(([operator, ofOperator]) => ({
      operator,
      tlds: ofOperator.map(({ name }) => name).sort(),
      entries: ofOperator.reduce((sum, { entries }) => sum + entries, 0),
      failing: ofOperator.reduce((sum, { failing }) => sum + failing, 0),
    }));
    return { data: data.sort((one, other) => other.entries - one.entries || (one.operator < other.operator ? -1 : 1)) };
  }
}
