import { Logger } from '@nestjs/common';
import type { DomainEvent } from '../../kernel/domain-event.js';
import type { WatchlistEventData } from '../domain/watch-events.js';

const log = new Logger('Watchlist');

/** Logs every committed change of status or phase. */
export function logMoves(events: readonly DomainEvent[]): void {
  for (const { payload } of events) {
    const { domain, previous_status: from, status: to, phase, move, change_seq } = payload as WatchlistEventData;
    if (move !== null)
      log.log({ domain, from, to, phase, move, change_seq }, from === to ? 'phase changed' : 'status changed');
  }
}
