import { Module } from '@nestjs/common';
import { EventFeed } from './event-feed.repository.js';
import { EventStreams } from './event-streams.js';
import { EventsController } from './events.controller.js';
import { StreamSlots } from './stream-slots.repository.js';

/** Serves events as pages and as a stream. */
@Module({ controllers: [EventsController], providers: [EventFeed, EventStreams, StreamSlots] })
export class EventFeedModule {}
