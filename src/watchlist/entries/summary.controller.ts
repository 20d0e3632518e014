import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags, ApiProperty } from '@nestjs/swagger';
import { AccountUsage, type Caller, CurrentAccount, CurrentCaller } from '../../auth/index.js';
import { grants } from '../../auth/language.js';
import { RequiresScope } from '../../auth/views.js';
import { OperatorRateLimits } from '../../domains/index.js';
import { Clock } from '../../kernel/clock.js';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { SummaryReader } from './summary.repository.js';
import type { EntryStatus } from '../../domains/language.js';
import { PageMeta, PageQuery } from '../../platform/http/page.js';
import { SINGLE_LINE_PATTERN, TextField } from '../../platform/http/validation/fields.js';
import type { Need } from '../domain/needs.js';

const Count = (example: number, description: string) => ApiProperty({ type: 'integer', example, description });

class WatchlistNeedsView implements Record<Need, number> {
  @Count(0, '`status=available&purpose=own`: anyone can register them.') lost: number;
  @Count(0, '`phase=pending_delete&purpose=own`: nobody can restore them.') about_to_be_deleted: number;
  @Count(3, '`status=available&purpose=acquire`') available_and_wanted: number;
  @Count(0, '`phase=redemption`: deleted, and the registrar can still restore them.') in_redemption: number;
  @Count(2, '`phase=expired_grace`: expired, and the registrar can still renew them.') in_grace: number;
  @Count(14, '`expires_within_days=30`') expires_within_30_days: number;
  @Count(0, '`drift=true`') not_as_expected: number;
  @Count(1, '`failing=true`') failing: number;
  @Count(0, '`answered=false`') never_answered: number;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 0,
    description: 'Notification channels that fail or wait for their address; null for a key that may not see them.',
  })
  failing_channels: number | null;
}

class StatusCountsView implements Record<EntryStatus, number> {
  @Count(4, '`status=available`') available: number;
  @Count(281, '`status=registered`') registered: number;
  @Count(14, '`status=expiring`') expiring: number;
  @Count(1, '`status=pending_delete`') pending_delete: number;
}

class MonthView {
  @ApiProperty({ example: '2026-12', description: 'In UTC, as `expires_in_month` takes it.' }) month: string;
  @Count(11, '`purpose=own`') own: number;
  @Count(3, 'Those with another purpose.') other: number;
}

class WatchlistSummaryView {
  @ApiProperty({ type: 'integer', example: 300, description: 'All entries.' }) entries: number;
  @ApiProperty({
    type: WatchlistNeedsView,
    description:
      'The names that need action. Each number is the `total` of the list with these filters and `paused=false`.',
  })
  action_needed: WatchlistNeedsView;

  @ApiProperty({ type: StatusCountsView, description: 'How many entries have each status, the paused ones too.' })
  statuses: StatusCountsView;

  @ApiProperty({
    type: [MonthView],
    minItems: 12,
    maxItems: 12,
    description:
      'The expiries of this month and of the next eleven. `own` and `other` together are the `total` of the list with ' +
      'this `expires_in_month` and `paused=false`.',
  })
  expires_by_month: MonthView[];
}

class TagsQuery extends PageQuery {
  @TextField({
    minLength: 1,
    maxLength: 50,
    pattern: SINGLE_LINE_PATTERN,
    description: 'Only tags that contain this text, in any case.',
    optional: true,
  })
  search?: string;
}

class TagView {
  @ApiProperty({ example: 'brand' }) tag: string;
  @ApiProperty({ type: 'integer', example: 59, description: 'How many entries have it.' }) entries: number;
}

class TagsView {
  @ApiProperty({ type: [TagView] }) data: TagView[];
  @ApiProperty({ type: PageMeta }) meta: PageMeta;
}

class OperatorView {
  @ApiProperty({ example: 'sandbox', description: 'As `GET /v1/registries` names it.' }) operator: string;
  @ApiProperty({ type: [String], example: ['test'], description: 'The top-level domains of these entries.' })
  tlds: string[];
  @ApiProperty({ type: 'integer', example: 300 }) entries: number;
  @Count(2, 'Those whose checks fail at the moment, without the paused ones.') failing: number;
}

class OperatorsView {
  @ApiProperty({ type: [OperatorView] }) data: OperatorView[];
}

const SUMMARY_EXAMPLES = {
  some: {
    summary: 'Some names need action',
    value: {
      entries: 300,
      action_needed: {
        lost: 0,
        about_to_be_deleted: 0,
        available_and_wanted: 3,
        in_redemption: 0,
        in_grace: 2,
        expires_within_30_days: 14,
        not_as_expected: 0,
        failing: 1,
        never_answered: 0,
        failing_channels: 0,
      },
      statuses: { available: 4, registered: 281, expiring: 14, pending_delete: 1 },
      expires_by_month: Array.from({ length: 12 }, (_, month) => ({
        month: `2027-${String(month + 1).padStart(2, '0')}`,
        own: (month * 5) % 12,
        other: month % 3,
      })),
    } satisfies WatchlistSummaryView,
  },
};

const TAGS_EXAMPLES = {
  one: {
    summary: 'One tag',
    value: { data: [{ tag: 'brand', entries: 59 }], meta: { page: 1, per_page: 20, total: 1 } } satisfies TagsView,
  },
};

const OPERATORS_EXAMPLES = {
  sandbox: {
    summary: 'Names of the sandbox',
    value: { data: [{ operator: 'sandbox', tlds: ['test'], entries: 300, failing: 2 }] } satisfies OperatorsView,
  },
};

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
