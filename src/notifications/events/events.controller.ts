import { Readable } from 'node:stream';
import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, CurrentAccount, endOfAuthorization } from '../../auth/index.js';
import { RequiresScope } from '../../auth/views.js';
import { SECOND } from '../../kernel/clock.js';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { EventStreams, type Ping, eventFrame, pingFrame, STREAM_HEAD } from './event-streams.js';
import type { TransactionCursor } from '../../kernel/paging/transaction-cursor.js';
import { CursorSeal } from '../../platform/crypto/cursor-seal.js';
import { EventFeed, type FeedItem } from './event-feed.repository.js';
import {
  EVENTS_EXAMPLES,
  EventsQuery,
  EventsView,
  eventsView,
  EventView,
  feedOf,
  STREAM_EXAMPLE,
  StreamQuery,
} from './events.dto.js';
import { EventSchemas } from './event-schemas.js';

/** Closes the connection after the stream, because a kept-alive connection would delay the shutdown. */
const HEADERS = { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no', connection: 'close' };

const STREAM = {
  type: 'string',
  contentMediaType: 'application/json',
  contentSchema: { $ref: getSchemaPath(EventView) },
} as object;

@ApiTags('Notifications')
@Controller('v1/events')
export class EventsController {
  constructor(
    private readonly streams: EventStreams,
    private readonly events: EventFeed,
    private readonly cursors: CursorSeal,
  ) {}

  @Get()
  @EventSchemas()
  @RequiresScope('watchlist:read')
  @ApiOperation({ operationId: 'listEvents', summary: 'Read the events, oldest first' })
  @ApiOkResponse({ description: 'The events after the cursor.', type: EventsView, examples: EVENTS_EXAMPLES })
  @ApiProblems('invalid_request', 'cursor_expired')
  async list(@CurrentAccount() account: Caller['account'], @Query() query: EventsQuery): Promise<EventsView> {
    const { after, limit, type, entry_id: entryId } = query;
    const from = after === undefined ? null : this.cursors.open(after, feedOf(account.id), 'after');
    const page = await this.events.page({ accountId: account.id, after: from, limit, type, entryId });
    return eventsView(page, this.cursors.seal(page.next, feedOf(account.id)));
  }

  @Get('stream')
  @RequiresScope('watchlist:read')
  @ApiOperation({ operationId: 'streamEvents', summary: 'Follow the events as they happen' })
  @ApiHeader({ name: 'Last-Event-ID', required: false, description: 'The last `id` received. Without it: from now.' })
  @ApiOkResponse({
    description: 'Server-sent events; `data` is what the webhook gets. At most five streams for an account.',
    content: { 'text/event-stream': { schema: STREAM, example: STREAM_EXAMPLE } },
  })
  @ApiProblems('invalid_request', 'cursor_expired')
  async stream(
    @CurrentAccount() { id: accountId }: Caller['account'],
    @Query() { type, entry_id: entryId, for_seconds: seconds }: StreamQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const closed = new AbortController();
    reply.raw.on('close', () => closed.abort()); // set before any `await`, since the reader may disconnect meanwhile
    const ends = [closed.signal, endOfAuthorization(request)];
    if (seconds !== undefined) ends.push(AbortSignal.timeout(seconds * SECOND));
    const signal = AbortSignal.any(ends);
    const from = await this.findStart(accountId, request.headers['last-event-id']);
    const disconnect = () => void reply.raw.destroy();
    const items = await this.streams.stream({ accountId, from, type, entryId, signal, disconnect });
    void reply.headers(HEADERS).send(Readable.from(this.frames(items, feedOf(accountId)), { objectMode: false }));
  }

  /** @throws CursorMalformed if the id is not from this feed, CursorExpired if later events were purged */
  private async findStart(accountId: string, lastEventId: string | string[] | undefined): Promise<TransactionCursor> {
    if (lastEventId === undefined) return this.events.end(accountId);
    const cursor = this.cursors.open(String(lastEventId), feedOf(accountId), 'Last-Event-ID');
    // Reports an expired cursor now, before the stream starts.
    await this.events.page({ accountId, after: cursor, limit: 1 });
    return cursor;
  }

  private async *frames(items: AsyncIterable<FeedItem | Ping>, feed: string): AsyncGenerator<string> {
    yield STREAM_HEAD;
    for await (const item of items)
      yield 'ping' in item
        ? pingFrame(this.cursors.seal(item.ping, feed))
        : eventFrame(this.cursors.seal(item.cursor, feed), item);
  }
}
