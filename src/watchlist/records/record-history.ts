import { Injectable } from '@nestjs/common';
import type { DomainEvent } from '../../kernel/domain-event.js';
import { HistoryRepository } from './history.repository.js';
import type { HistoryInterval, HistoryPause } from '../domain/watch-events.js';

/** Writes an entry's history in the transaction of its change. */
@Injectable()
export class RecordHistory {
  constructor(private readonly history: HistoryRepository) {}

  /** One statement for all entries, unless one entry has two events: those are written in order. */
  async run(events: readonly DomainEvent[]): Promise<void> {
    let opened: HistoryInterval[] = [];
    const flush = async () => {
      if (opened.length > 0) await this.history.openIntervals(opened);
      opened = [];
    };
    for (const { type, payload } of events) {
      const { entryId } = payload as HistoryInterval | HistoryPause;
      if (opened.some((interval) => interval.entryId === entryId)) await flush();
      if (type === 'history.opened') opened.push(payload as HistoryInterval);
      else await this.history.setPause(payload as HistoryPause);
    }
    await flush();
  }
}
