import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Query, Req, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiHeader,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { computeEtagVersion, matchesIfMatch, IF_MATCH } from '../../platform/http/hooks/conditional-requests.js';
import { EntryReader } from './entry-reader.repository.js';
import { EntryNotFound } from '../domain/watch-entry.js';
import { type EntrySettings, SETTING_KEYS } from '../domain/entry-settings.js';
import { type Caller, CurrentAccount } from '../../auth/index.js';
import { RequiresScope } from '../../auth/views.js';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { PageQuery } from '../../platform/http/page.js';
import { WatchlistService } from './watchlist.service.js';
import { RegistrationRecordRepository } from '../records/registration-records.repository.js';
import { CHANGES_EXAMPLES, ChangesView, changeView } from './change-view.js';
import { EntryPresenter } from './entry-presenter.js';
import { ENTRY_ID_PARAM, EntryQuery } from './list-query.dto.js';
import { ENTRY_EXAMPLES, EntryView } from './entry-view.js';
import { CHANGE_EXAMPLES, ChangeWatchBody, toEntrySettings } from './entry-settings.dto.js';

/** Depends only on the watcher's settings, so that check results do not change the ETag. */
function etagVersion(settings: EntrySettings): string {
  return computeEtagVersion(SETTING_KEYS.map((key) => settings[key]));
}

@ApiTags('Watchlist')
@Controller('v1/watchlist/:id')
export class EntryController {
  constructor(
    private readonly watchlist: WatchlistService,
    private readonly entries: EntryReader,
    private readonly records: RegistrationRecordRepository,
    private readonly presenter: EntryPresenter,
  ) {}

  @Get()
  @RequiresScope('watchlist:read')
  @ApiOperation({ operationId: 'getWatchlistEntry', summary: 'Show a watchlist entry' })
  @ApiParam(ENTRY_ID_PARAM)
  @ApiOkResponse({ description: 'The entry.', type: EntryView, examples: ENTRY_EXAMPLES })
  @ApiProblems('not_found')
  async show(
    @CurrentAccount() account: Caller['account'],
    @Param('id') id: string,
    @Query() { expand }: EntryQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<EntryView> {
    const entry = await this.entries.findDetails(account.id, id);
    if (!entry) throw new EntryNotFound();
    reply.etagVersion = etagVersion(entry.settings);
    return this.presenter.show(entry, expand);
  }

  @Patch()
  @RequiresScope('watchlist:write')
  @ApiOperation({ operationId: 'changeWatchlistEntry', summary: 'Change a watchlist entry' })
  @ApiParam(ENTRY_ID_PARAM)
  @ApiBody({ type: ChangeWatchBody, examples: CHANGE_EXAMPLES })
  @ApiOkResponse({ description: 'The entry.', type: EntryView, examples: ENTRY_EXAMPLES })
  @ApiHeader(IF_MATCH)
  @ApiProblems('not_found', 'precondition_failed', 'interval_not_allowed')
  async change(
    @CurrentAccount() account: Caller['account'],
    @Param('id') id: string,
    @Body() body: ChangeWatchBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<EntryView> {
    const isExpected = (settings: EntrySettings) => matchesIfMatch(request, etagVersion(settings));
    await this.watchlist.change(account, id, toEntrySettings(body), isExpected, body.notify_current);
    return this.show(account, id, {}, reply);
  }

  @Delete()
  @HttpCode(204)
  @RequiresScope('watchlist:write')
  @ApiOperation({ operationId: 'removeFromWatchlist', summary: 'Stop watching a domain' })
  @ApiParam(ENTRY_ID_PARAM)
  @ApiNoContentResponse({ description: 'The domain is no longer watched.' })
  @ApiProblems('not_found')
  remove(@CurrentAccount() account: Caller['account'], @Param('id') id: string): Promise<void> {
    return this.watchlist.remove(account, id);
  }

  @Get('changes')
  @RequiresScope('watchlist:read')
  @ApiOperation({
    operationId: 'getWatchlistChanges',
    summary: 'List changes of the registration record, newest first',
    description: 'Name servers, registrar, EPP statuses, DS and transfers, since the entry was added.',
  })
  @ApiParam(ENTRY_ID_PARAM)
  @ApiOkResponse({ description: 'One page.', type: ChangesView, examples: CHANGES_EXAMPLES })
  @ApiProblems('invalid_request', 'not_found')
  async changes(
    @CurrentAccount() account: Caller['account'],
    @Param('id') id: string,
    @Query() { page, per_page }: PageQuery,
  ): Promise<ChangesView> {
    const changes = await this.records.findChanges(account.id, id, page, per_page);
    if (!changes) throw new EntryNotFound();
    const { rows, total } = changes;
    return { data: rows.map(changeView), meta: { page, per_page, total } };
  }
}
