import { Module } from '@nestjs/common';
import { EventFeed } from './event-feed.repository.js';
import { EventStreams } from './event-streams.js';
import { EventsController } from './events.controller.js';

/** Serves events as pages and as a stream. */
@Module({ controllers: [EventsController], providers: [EventFeed, EventStreams] })
export class EventFeedModule {}
