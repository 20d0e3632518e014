import { Injectable } from '@nestjs/common';
import { toEvidenceView, EXPANSIONS, toLifecycleView, toRecordView } from '../../domains/views.js';
import { EntryForecast } from './entry-forecast.js';
import type { WatchlistRow } from './watchlist-page.repository.js';
import { type ExpansionsView, failingView } from './watchlist.dto.js';

export const ENTRY_EXPANSIONS = [...EXPANSIONS, 'record', 'failing'] as const;
export const LIST_EXPANSIONS = [...ENTRY_EXPANSIONS, 'details'] as const;
export type ListExpansion = (typeof LIST_EXPANSIONS)[number];
export type EntryExpansion = (typeof ENTRY_EXPANSIONS)[number];

/** Adds the sections that `expand` requests. */
@Injectable()
export class EntryExpansions {
  constructor(private readonly outlook: EntryForecast) {}

  expand(row: WatchlistRow, requested: readonly ListExpansion[] = []): ExpansionsView {
    return {
      ...(requested.includes('lifecycle') && { lifecycle: this.expandLifecycle(row) }),
      ...(requested.includes('evidence') && { evidence: (row.background?.evidence ?? []).map(toEvidenceView) }),
      ...(requested.includes('record') && {
        record: row.background?.record ? toRecordView(row.background.record) : null,
      }),
      ...(requested.includes('failing') && { failing: failingView(row) }),
    };
  }

  private expandLifecycle(row: WatchlistRow) {
    const known = this.outlook.forecast(row);
    return known && row.background ? toLifecycleView(row.background.phase, known.facts, known.forecast) : null;
  }
}
