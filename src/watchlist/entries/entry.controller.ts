import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Query, Req, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiHeader,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
  ApiProperty,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { computeEtagVersion, matchesIfMatch, IF_MATCH } from '../../platform/http/hooks/conditional-requests.js';
import { EntryReader } from './entry-reader.repository.js';
import { EntryNotFound } from '../domain/watch-entry.js';
import { type EntrySettings, SETTING_KEYS } from '../domain/entry-settings.js';
import { type Caller, CurrentAccount } from '../../auth/index.js';
import { RequiresScope } from '../../auth/views.js';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { PageQuery, PageMeta } from '../../platform/http/page.js';
import { WatchlistService } from './watchlist.service.js';
import { RegistrationRecordRepository, type ListedRecordChange } from '../records/registration-records.repository.js';
import { EntryPresenter } from './entry-presenter.js';
import { ENTRY_ID_PARAM, EntryQuery } from './list-query.dto.js';
import { ENTRY_EXAMPLES, EntryView } from './entry-view.js';
import { CHANGE_EXAMPLES, ChangeWatchBody, toEntrySettings } from './entry-settings.dto.js';
import { RECORD_KINDS, RECORD_VALUE_SCHEMA, type RecordKind, type RecordValue } from '../../domains/language.js';
import { EvidenceView, toEvidenceView } from '../../domains/views.js';
import { UTC } from '../../platform/http/validation/fields.js';

class RecordChangeView {
  @ApiProperty({ enum: RECORD_KINDS, example: 'nameservers' }) kind: RecordKind;
  @ApiProperty({ ...RECORD_VALUE_SCHEMA, description: 'Sorted; empty: there were none.' }) before: RecordValue;
  @ApiProperty({ ...RECORD_VALUE_SCHEMA, description: 'Sorted; empty: there are none.' }) after: RecordValue;
  @ApiProperty({ ...UTC, description: 'The last check that found the former value.' }) previous_seen_at: string;
  @ApiProperty({ ...UTC, description: 'The first check that found the new one.' }) first_seen_at: string;
  @ApiProperty({ ...UTC, description: 'The check that confirmed it.' }) confirmed_at: string;
  @ApiProperty({ type: [EvidenceView], description: 'The evidence of the check that confirmed it.' })
  evidence: EvidenceView[];
}

class ChangesView {
  @ApiProperty({ type: [RecordChangeView] }) data: RecordChangeView[];
  @ApiProperty({ type: PageMeta }) meta: PageMeta;
}

function changeView(change: ListedRecordChange): RecordChangeView {
  const { kind, before, after, previousSeenAt, firstSeenAt, confirmedAt, evidence } = change;
  return {
    kind,
    before,
    after,
    previous_seen_at: previousSeenAt.toISOString(),
    first_seen_at: firstSeenAt.toISOString(),
    confirmed_at: confirmedAt.toISOString(),
    evidence: evidence.map(toEvidenceView),
  };
}

const CHANGES_EXAMPLES = {
  one: {
    summary: 'A name that moved to other name servers',
    value: {
      data: [
        {
          kind: 'nameservers',
          before: ['ns1.hoster.test', 'ns2.hoster.test'],
          after: ['ns1.another.test', 'ns2.another.test'],
          previous_seen_at: '2026-11-21T02:00:00.500Z',
          first_seen_at: '2026-11-21T03:00:00.500Z',
          confirmed_at: '2026-11-21T03:01:00.500Z',
          evidence: [
            {
              source: 'sandbox',
              server: 'sandbox',
              outcome: 'found',
              rule: 'sandbox.script',
              http_status: null,
              observed_at: '2026-11-21T03:01:00.500Z',
              excerpt: 'moving-60s.test',
            },
          ],
        },
      ],
      meta: { page: 1, per_page: 20, total: 1 },
    } satisfies ChangesView,
  },
};

/**
 * Computes the version for the ETag from the watcher's settings alone, so that check results do not change the ETag.
 */
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
