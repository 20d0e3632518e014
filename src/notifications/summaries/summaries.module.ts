import { Module } from '@nestjs/common';
import { SECOND } from '../../kernel/clock.js';
import { periodicTask } from '../../platform/scheduling/periodic-task.js';
import { ChannelsModule } from '../channels/channels.module.js';
import { EventsModule } from '../events/events.module.js';
import { SendSummaries } from './send-summaries.js';
import { SummaryRepository } from './summaries.repository.js';

/** Creates the regular summaries of channels. */
@Module({
  imports: [ChannelsModule, EventsModule],
  providers: [SendSummaries, SummaryRepository],
  exports: [SendSummaries],
})
export class SummariesModule {}

/** Runs in processes with the role `scheduler`. */
@Module({
  imports: [SummariesModule],
  providers: [
    periodicTask({
      name: 'send-summaries',
      service: SendSummaries,
      intervalMs: 10 * SECOND,
      run: (summaries, { signal }) => summaries.run(signal),
    }),
  ],
})
export class SummaryTasksModule {}
