import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags, ApiProperty } from '@nestjs/swagger';
import { type Caller, CurrentAccount } from '../../auth/index.js';
import { RequiresScope } from '../../auth/views.js';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { PageQuery, PageMeta } from '../../platform/http/page.js';
import { HistoryRepository, type RemovedEntry, type StoredHistoryInterval } from '../records/history.repository.js';
import { EntryNotFound } from '../domain/watch-entry.js';
import {
  DomainName,
  ENTRY_STATUSES,
  type EntryStatus,
  LIFECYCLE_PHASES,
  type LifecyclePhase,
} from '../../domains/language.js';
import { ENTRY_ID_PARAM, RemovedQuery } from '../entries/list-query.dto.js';
import { EvidenceView, toEvidenceView } from '../../domains/views.js';
import { type Move, MOVES } from '../domain/move.js';
import { UTC } from '../../platform/http/validation/fields.js';

class IntervalView {
  @ApiProperty({ enum: ENTRY_STATUSES, example: 'expiring' }) status: EntryStatus;
  @ApiProperty({ enum: LIFECYCLE_PHASES, example: 'expiring' }) phase: LifecyclePhase;
  @ApiProperty({
    enum: [...MOVES, null],
    nullable: true,
    description: 'null for the status that the entry started with.',
  })
  move: Move | null;
  @ApiProperty({ type: 'integer', example: 1 }) change_seq: number;
  @ApiProperty({ ...UTC, description: 'The first check that found it.' }) first_seen_at: string;
  @ApiProperty({ ...UTC, description: 'The last check so far that found it.' }) last_seen_at: string;
  @ApiProperty({ ...UTC, nullable: true }) expires_at: string | null;
  @ApiProperty({ type: [EvidenceView], description: 'The evidence for its start.' }) evidence: EvidenceView[];
}

class RemovedEntryView {
  @ApiProperty({ example: 'wl_01jd6z0v8q3m4n5p6r7s8t9vwx', description: 'Its history goes on under it.' }) id: string;
  @ApiProperty({ example: 'expiring.test', description: 'In A-labels.' }) domain: string;
  @ApiProperty({ example: 'expiring.test' }) domain_unicode: string;
  @ApiProperty(UTC) added_at: string;
  @ApiProperty(UTC) removed_at: string;
  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The `X-Request-Id` of its removal: `request` of the audit trail finds who it was.',
  })
  request_id: string | null;
}

class HistoryView {
  @ApiProperty({ type: [IntervalView] }) data: IntervalView[];
  @ApiProperty({ type: PageMeta }) meta: PageMeta;
  @ApiProperty({
    type: RemovedEntryView,
    nullable: true,
    description: 'null while the entry is on the watchlist.',
  })
  removed: RemovedEntryView | null;
}

class RemovedEntriesView {
  @ApiProperty({ type: [RemovedEntryView] }) data: RemovedEntryView[];
  @ApiProperty({ type: PageMeta }) meta: PageMeta;
}

function removedView({ id, domain, addedAt, removedAt, requestId }: RemovedEntry): RemovedEntryView {
  const domain_unicode = DomainName.restore(domain).unicode;
  const times = { added_at: addedAt.toISOString(), removed_at: removedAt.toISOString() };
  return { id, domain, domain_unicode, ...times, request_id: requestId };
}

function intervalView(interval: StoredHistoryInterval): IntervalView {
  const { status, phase, move, change_seq, first_seen_at, last_seen_at, expires_at, evidence } = interval;
  return {
    status,
    phase,
    move,
    change_seq,
    first_seen_at: first_seen_at.toISOString(),
    last_seen_at: last_seen_at.toISOString(),
    expires_at: expires_at?.toISOString() ?? null,
    evidence: evidence.map(toEvidenceView),
  };
}

const HISTORY_EXAMPLES = {
  one: {
    summary: 'A name that turned out to be about to expire',
    value: {
      data: [
        {
          status: 'expiring',
          phase: 'expiring',
          move: 'discovered',
          change_seq: 1,
          first_seen_at: '2026-11-21T02:00:00.500Z',
          last_seen_at: '2026-11-21T03:00:00.500Z',
          expires_at: '2026-12-01T02:00:00.000Z',
          evidence: [
            {
              source: 'sandbox',
              server: 'sandbox',
              outcome: 'found',
              rule: 'sandbox.script',
              http_status: null,
              observed_at: '2026-11-21T02:00:00.500Z',
              excerpt: 'expiring.test',
            },
          ],
        },
      ],
      meta: { page: 1, per_page: 20, total: 1 },
      removed: null,
    } satisfies HistoryView,
  },
};

const REMOVED_EXAMPLES = {
  one: {
    summary: 'A name that was removed once',
    value: {
      data: [
        {
          id: 'wl_01jd6z0v8q3m4n5p6r7s8t9vwx',
          domain: 'expiring.test',
          domain_unicode: 'expiring.test',
          added_at: '2026-11-21T02:00:00.000Z',
          removed_at: '2026-11-22T09:30:00.000Z',
          request_id: '01934b1e-0c1d-7a6b-8f4e-2f1d3c5b7a90',
        },
      ],
      meta: { page: 1, per_page: 20, total: 1 },
    } satisfies RemovedEntriesView,
  },
};

/** Separate from the controller of entries, because the history outlives its entry. */
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
