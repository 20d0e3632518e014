import { Injectable } from '@nestjs/common';
import type { DomainEvent } from '../../kernel/domain-event.js';
import { History, type HistoryInterval, type HistoryPause } from '../domain/history.js';

/** Writes an entry's history in the transaction that makes it. */
@Injectable()
export class KeepHistory {
  constructor(private readonly history: History) {}

  async run(events: readonly DomainEvent[]): Promise<void> {
    for (const { type, payload } of events) {
      if (type === 'history.paused') await this.history.pause(payload as HistoryPause);
    }
    const opened = events.filter(({ type }) => type === 'history.opened');
    if (opened.length > 0) await this.history.open(opened.map(({ payload }) => payload as HistoryInterval));
  }
}
