import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import {
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
import { WatchlistService } from '../application/watchlist.service.js';
import type { WatchEntry } from '../domain/watch-entry.js';
import { WatchlistPages, type WatchlistRow } from '../domain/watchlist-pages.js';
import { EntryNotFound } from '../domain/watchlist.errors.js';
import { AddWatchBody, CreatedEntryView, ListedEntryView, ListQuery, WatchlistView } from './watchlist.dto.js';

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
  @ApiOkResponse({ type: WatchlistView })
  @ApiProblems(400, 503)
  async list(@CurrentAccount() account: Caller['account'], @Query() query: ListQuery): Promise<WatchlistView> {
    const { status, page, per_page } = query;
    const { rows, total } = await this.pages.page({ accountId: account.id, status, page, perPage: per_page });
    return { data: rows.map(listed), meta: { page, per_page, total } };
  }

  @Post()
  @RequiresScope('watchlist:write')
  @ApiOperation({ operationId: 'addToWatchlist', summary: 'Watch a domain' })
  @ApiCreatedResponse({ type: CreatedEntryView, headers: { Location: { schema: { type: 'string' } } } })
  @ApiProblems(400, 409, 413, 415, 422, 503)
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
  @ApiParam({ name: 'id', example: 'wl_01jd6z0v8q3m4n5p6r7s8t9vwx' })
  @ApiNoContentResponse({ description: 'It is no longer watched.' })
  @ApiProblems(404, 503)
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
