import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, Matches, MaxLength } from 'class-validator';
import { QueryInteger } from '../../platform/http/validation/strict-validation.pipe.js';
import { EVENT_TYPES } from '../domain/events/event-type.js';
import { EXAMPLE_EVENTS } from './event-examples.js';
import { eventFrame, pingFrame, STREAM_HEAD } from './stream-frames.js';

const ENTRY_ID = /^wl_[0-9a-z]{26}$/;

class EventFilterQuery {
  @ApiPropertyOptional({ enum: [...EVENT_TYPES], description: 'Only events of this type.' })
  @IsOptional()
  @IsIn(EVENT_TYPES)
  type?: string;

  @ApiPropertyOptional({
    pattern: ENTRY_ID.source,
    description: 'Only events of this entry, which may be deleted by now.',
  })
  @IsOptional()
  @Matches(ENTRY_ID, { message: '$property must be the id of an entry' })
  entry_id?: string;
}

export class StreamQuery extends EventFilterQuery {
  @ApiPropertyOptional({
    ...{ type: 'integer', minimum: 1, maximum: 3_600, example: 5 },
    description:
      'Ends the stream after this many seconds. Without it the stream stays open, and Swagger UI, which shows complete ' +
      'responses only, shows nothing. Watch `lifecycle-12s.test` to see events within 5 seconds.',
  })
  @IsOptional()
  @QueryInteger(1, 3_600)
  for_seconds?: number;
}

export class EventsQuery extends EventFilterQuery {
  @ApiPropertyOptional({ description: 'The `next` of the last page. Without it, from the oldest stored event.' })
  @IsOptional()
  @MaxLength(100)
  after?: string;

  @ApiPropertyOptional({ type: 'integer', default: 100, minimum: 1, maximum: 1_000, description: 'Events per page.' })
  @QueryInteger(1, 1_000)
  limit: number = 100;
}

/** The API document shows the union of all types of events. */
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

/** What cursors are sealed for: of a page and of the stream alike. */
export function feedOf(accountId: string): string {
  return `events of ${accountId}`;
}

interface ViewedPage {
  readonly items: readonly { readonly body: string }[];
  readonly hasMore: boolean;
}

/** @param next sealed */
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
