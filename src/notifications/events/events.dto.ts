import { ApiProperty } from '@nestjs/swagger';
import { ChoiceField, CursorField, QueryIntegerField, TextField } from '../../platform/http/validation/fields.js';
import { EVENT_TYPES } from '../domain/event-type.js';
import { EXAMPLE_EVENTS } from './event-examples.js';
import { eventFrame, pingFrame, STREAM_HEAD } from './event-streams.js';

class EventFilterQuery {
  @ChoiceField({ enum: EVENT_TYPES, description: 'Only events of this type.', optional: true })
  type?: string;

  @TextField({
    pattern: '^wl_[0-9a-z]{26}$',
    expected: 'the id of an entry',
    description: 'Only events of this entry, which may be deleted by now.',
    optional: true,
  })
  entry_id?: string;
}

export class StreamQuery extends EventFilterQuery {
  @QueryIntegerField({
    minimum: 1,
    maximum: 3_600,
    example: 5,
    description:
      'Ends the stream after this many seconds. Without it the stream stays open, and Swagger UI, which shows complete ' +
      'responses only, shows nothing. Watch `lifecycle-12s.test` to see events within 5 seconds.',
    optional: true,
  })
  for_seconds?: number;
}

export class EventsQuery extends EventFilterQuery {
  @CursorField({ description: 'The `next` of the last page. Without it, from the oldest stored event.' })
  after?: string;

  @QueryIntegerField({ default: 100, minimum: 1, maximum: 1_000, description: 'Events per page.' })
  limit: number = 100;
}

/** A placeholder that the API document replaces by the union of all events. */
export class EventView {
  @ApiProperty() id: string;
}

export class EventsMeta {
  @ApiProperty({ description: 'For `after` of the next request; never null, also on the last page.' }) next: string;
  @ApiProperty({ description: 'Whether more events are available now.' }) has_more: boolean;
}

export class EventsView {
  @ApiProperty({ type: [EventView] }) data: EventView[];
  @ApiProperty({ type: EventsMeta }) meta: EventsMeta;
}

/** Pages and streams share one feed, so that each accepts the other's encrypted cursors. */
export function feedOf(accountId: string): string {
  return `events of ${accountId}`;
}

interface ViewedPage {
  readonly items: readonly { readonly body: string }[];
  readonly hasMore: boolean;
}

/** @param next the encrypted cursor */
export function eventsView({ items, hasMore }: ViewedPage, next: string): EventsView {
  return {
    data: items.map(({ body }) => JSON.parse(body) as EventView),
    meta: { next, has_more: hasMore },
  };
}

const EVENT = EXAMPLE_EVENTS['watchlist.available'];
const CURSOR = 'WmV3Q2u1b0x5cHnqRzE8kfT6dJ4aYtL9oMvP7sXg2hI';

export const EVENTS_EXAMPLES = {
  one: { summary: 'One event', value: eventsView({ items: [EVENT], hasMore: false }, CURSOR) },
};
export const STREAM_EXAMPLE = [STREAM_HEAD, eventFrame(CURSOR, EVENT), pingFrame(CURSOR)].join('');
