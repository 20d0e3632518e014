import { Body, Controller, Get, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type Caller, CurrentAccount, RequiresScope } from '../../auth/index.js';
import { ApiProblems } from '../../platform/http/api-problems.js';
import { BODY_REFUSALS, NAME_REFUSALS } from '../../platform/http/problem-groups.js';
import { WatchlistService } from '../application/watchlist.service.js';
import type { WatchEntry } from '../domain/watch-entry.js';
import { WatchlistPages } from '../domain/watchlist-pages.js';
import {
  ADD_EXAMPLES,
  CREATED_EXAMPLES,
  CreatedEntryView,
  LIST_EXAMPLES,
  listedView,
  ListQuery,
  WatchlistView,
} from './watchlist.dto.js';
import { AddWatchBody, wishesOf } from './watch-wishes.dto.js';

@ApiTags('Watchlist')
@Controller('v1/watchlist')
export class WatchlistController {
  constructor(
    private readonly watchlist: WatchlistService,
    private readonly pages: WatchlistPages,
  ) {}

  @Get()
  @RequiresScope('watchlist:read')
  @ApiOperation({ operationId: 'listWatchlist', summary: 'List the watchlist, newest first' })
  @ApiOkResponse({ description: 'One page.', type: WatchlistView, examples: LIST_EXAMPLES })
  @ApiProblems('invalid_request')
  async list(@CurrentAccount() account: Caller['account'], @Query() query: ListQuery): Promise<WatchlistView> {
    const { status, page, per_page } = query;
    const { rows, total } = await this.pages.page({ accountId: account.id, status, page, perPage: per_page });
    return { data: rows.map(listedView), meta: { page, per_page, total } };
  }

  @Post()
  @RequiresScope('watchlist:write')
  @ApiOperation({ operationId: 'addToWatchlist', summary: 'Watch a domain' })
  @ApiBody({ type: AddWatchBody, examples: ADD_EXAMPLES })
  @ApiCreatedResponse({
    description: 'It is watched.',
    type: CreatedEntryView,
    examples: CREATED_EXAMPLES,
    headers: { Location: { schema: { type: 'string', format: 'uri-reference' } } },
    links: {
      show: { operationId: 'getWatchlistEntry', parameters: { id: '$response.body#/id' } },
      remove: { operationId: 'removeFromWatchlist', parameters: { id: '$response.body#/id' } },
    },
  })
  @ApiProblems(...BODY_REFUSALS, ...NAME_REFUSALS, 'interval_not_allowed', 'already_watched', 'plan_limit_reached')
  async add(
    @CurrentAccount() account: Caller['account'],
    @Body() body: AddWatchBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CreatedEntryView> {
    const entry = await this.watchlist.add(account, body.domain, wishesOf(body));
    void reply.header('location', `/v1/watchlist/${entry.id}`);
    return created(entry);
  }
}

function created(entry: WatchEntry): CreatedEntryView {
  return {
    id: entry.id,
    domain: entry.domain.ascii,
    status: entry.status,
    interval_minutes: entry.intervalMinutes,
    created_at: entry.createdAt.toISOString(),
  };
}
