import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type Caller, CurrentAccount, RequiresScope } from '../../auth/index.js';
import { isId } from '../../kernel/identifier.js';
import { ApiProblems } from '../../platform/http/api-problems.js';
import { BODY_REFUSALS, NAME_REFUSALS } from '../../platform/http/problem-groups.js';
import { WatchlistService } from '../application/watchlist.service.js';
import type { WatchEntry } from '../domain/watch-entry.js';
import { WatchlistPages, type WatchlistRow } from '../domain/watchlist-pages.js';
import { EntryNotFound } from '../domain/watchlist.errors.js';
import {
  ADD_EXAMPLES,
  AddWatchBody,
  CREATED_EXAMPLES,
  CreatedEntryView,
  LIST_EXAMPLES,
  ListedEntryView,
  ListQuery,
  WatchlistView,
} from './watchlist.dto.js';

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
    return { data: rows.map(listed), meta: { page, per_page, total } };
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
    links: { remove: { operationId: 'removeFromWatchlist', parameters: { id: '$response.body#/id' } } },
  })
  @ApiProblems(...BODY_REFUSALS, ...NAME_REFUSALS, 'interval_not_allowed', 'already_watched', 'plan_limit_reached')
  async add(
    @CurrentAccount() account: Caller['account'],
    @Body() body: AddWatchBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CreatedEntryView> {
    const entry = await this.watchlist.add(account, { domain: body.domain, intervalMinutes: body.interval_minutes });
    void reply.header('location', `/v1/watchlist/${entry.id}`);
    return created(entry);
  }

  @Delete(':id')
  @HttpCode(204)
  @RequiresScope('watchlist:write')
  @ApiOperation({ operationId: 'removeFromWatchlist', summary: 'Stop watching a domain' })
  @ApiParam({
    ...{ name: 'id', example: 'wl_01jd6z0v8q3m4n5p6r7s8t9vwx' },
    description: 'Of the entry, as its creation and the list tell it.',
  })
  @ApiNoContentResponse({ description: 'It is no longer watched.' })
  @ApiProblems('not_found')
  async remove(@CurrentAccount() account: Caller['account'], @Param('id') id: string): Promise<void> {
    if (!isId('wl', id)) throw new EntryNotFound();
    await this.watchlist.remove(account.id, id);
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

function listed(row: WatchlistRow): ListedEntryView {
  return {
    id: row.id,
    domain: row.domain,
    status: row.status,
    interval_minutes: row.interval_minutes,
    last_checked_at: row.last_checked_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}
