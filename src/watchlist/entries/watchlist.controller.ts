import { Body, Controller, Get, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, CurrentAccount } from '../../auth/index.js';
import { RequiresScope } from '../../auth/views.js';
import { after, Clock, DAY } from '../../kernel/clock.js';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { toPublicPath } from '../../platform/http/request.js';
import { pageLinks } from '../../platform/http/page.js';
import { NAME_REFUSALS } from '../../platform/http/errors/problem-catalogue.js';
import { Idempotent } from '../../platform/idempotency/idempotent.interceptor.js';
import { WatchlistService } from './watchlist.service.js';
import type { WatchEntry } from '../domain/watch-entry.js';
import { type EntryDetails, EntryReader } from './entry-reader.repository.js';
import { WatchlistPageReader } from './watchlist-page.repository.js';
import { HistoryRepository } from '../records/history.repository.js';
import { LIST_EXAMPLES, WatchlistView, ADD_EXAMPLES, CREATED_EXAMPLES, CreatedEntryView } from './entry-view.js';
import { EntryPresenter } from './entry-presenter.js';
import { ListQuery, toPageRequest } from './list-query.dto.js';
import { ParseFilters } from './parse-filters.js';
import { AddWatchBody, toEntrySettings } from './entry-settings.dto.js';

const LINK_HEADER = {
  Link: { description: 'Links to the first, prev, next and last page (RFC 8288).', schema: { type: 'string' } },
} as const;

const YEAR = 365 * DAY;

@ApiTags('Watchlist')
@Controller('v1/watchlist')
export class WatchlistController {
  constructor(
    private readonly watchlist: WatchlistService,
    private readonly pages: WatchlistPageReader,
    private readonly presenter: EntryPresenter,
    private readonly entries: EntryReader,
    private readonly filters: ParseFilters,
    private readonly history: HistoryRepository,
    private readonly clock: Clock,
  ) {}

  @Get()
  @RequiresScope('watchlist:read')
  @ApiOperation({ operationId: 'listWatchlist', summary: 'List the watchlist' })
  @ApiOkResponse({ description: 'One page.', type: WatchlistView, examples: LIST_EXAMPLES, headers: LINK_HEADER })
  @ApiProblems('invalid_request')
  async list(
    @CurrentAccount() account: Caller['account'],
    @Query() query: ListQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<WatchlistView> {
    const { page, per_page, expand } = query;
    const filters = this.filters.run(account.id, query);
    const { rows, total } = await this.pages.findPage(toPageRequest(filters, query));
    void reply.header('link', pageLinks(request, { page, per_page, total }));
    const ids = rows.map(({ id }) => id);
    const [details, phases] = await Promise.all([
      this.readDetails(account.id, expand?.includes('details') ? ids : []),
      expand?.includes('phases') ? this.history.findPhases(account.id, ids, after(this.clock.now(), -YEAR)) : null,
    ]);
    const data = rows.map((row) => ({
      ...this.presenter.showListed(row, expand, details.get(row.id)),
      ...(phases && {
        phases: (phases.get(row.id) ?? []).map(({ phase, since }) => ({ phase, since: since.toISOString() })),
      }),
    }));
    return { data, meta: { page, per_page, total } };
  }

  /** Reads the details of a page's entries. Leaves out entries that were removed since the page was read. */
  private async readDetails(accountId: string, ids: readonly string[]): Promise<ReadonlyMap<string, EntryDetails>> {
    if (ids.length === 0) return new Map();
    const entries = await this.entries.findAllDetails(accountId, ids);
    return new Map(entries.map((entry) => [entry.id, entry]));
  }

  @Post()
  @Idempotent()
  @RequiresScope('watchlist:write')
  @ApiOperation({ operationId: 'addToWatchlist', summary: 'Watch a domain' })
  @ApiBody({ type: AddWatchBody, examples: ADD_EXAMPLES })
  @ApiCreatedResponse({
    description: 'The new entry.',
    type: CreatedEntryView,
    examples: CREATED_EXAMPLES,
    headers: { Location: { schema: { type: 'string', format: 'uri-reference' } } },
    links: {
      show: { operationId: 'getWatchlistEntry', parameters: { id: '$response.body#/id' } },
      remove: { operationId: 'removeFromWatchlist', parameters: { id: '$response.body#/id' } },
    },
  })
  @ApiProblems(...NAME_REFUSALS, 'interval_not_allowed', 'already_watched', 'plan_limit_reached')
  async add(
    @CurrentAccount() account: Caller['account'],
    @Body() body: AddWatchBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CreatedEntryView> {
    const entry = await this.watchlist.add(account, body.domain, toEntrySettings(body), body.notify_current);
    void reply.header('location', toPublicPath(reply, `/v1/watchlist/${entry.id}`));
    return createdView(entry);
  }
}

function createdView(entry: WatchEntry): CreatedEntryView {
  return {
    id: entry.id,
    domain: entry.domain.ascii,
    status: entry.status,
    interval_minutes: entry.intervalMinutes,
    created_at: entry.createdAt.toISOString(),
  };
}
