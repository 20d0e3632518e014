import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentAccount } from '../../../auth/index.js';
import { RequiresScope } from '../../../auth/views.js';
import { ApiProblems } from '../../../platform/http/errors/api-problems.js';
import { ReadEvents } from '../../application/events/read-events.js';
import { TransactionCursor } from '../../../kernel/paging/transaction-cursor.js';
import { EventSchemas } from './event-schemas.js';
import { EVENTS_EXAMPLES, EventsQuery, EventsView, eventsView } from './events.dto.js';

@ApiTags('Notifications')
@Controller('v1/events')
export class EventsController {
  constructor(private readonly events: ReadEvents) {}

  @Get()
  @EventSchemas()
  @RequiresScope('watchlist:read')
  @ApiOperation({ operationId: 'listEvents', summary: 'Read the events, oldest first' })
  @ApiOkResponse({ description: 'The events after the cursor.', type: EventsView, examples: EVENTS_EXAMPLES })
  @ApiProblems('invalid_request', 'cursor_expired')
  async list(@CurrentAccount() account: Caller['account'], @Query() query: EventsQuery): Promise<EventsView> {
    const { after, limit, type, entry_id: entryId } = query;
    const from = after === undefined ? null : TransactionCursor.parse(after, 'after');
    return eventsView(await this.events.page(account.id, from, limit, { type, entryId }));
  }
}
