import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentAccount } from '../../auth/index.js';
import { RequiresScope } from '../../auth/views.js';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { ReadEvents } from './read-events.js';
import { CursorSeal } from '../../platform/crypto/cursor-seal.js';
import { EventSchemas } from './event-schemas.js';
import { EVENTS_EXAMPLES, EventsQuery, EventsView, eventsView, feedOf } from './events.dto.js';

@ApiTags('Notifications')
@Controller('v1/events')
export class EventsController {
  constructor(
    private readonly events: ReadEvents,
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
    const page = await this.events.page(account.id, from, limit, { type, entryId });
    return eventsView(page, this.cursors.seal(page.next, feedOf(account.id)));
  }
}
