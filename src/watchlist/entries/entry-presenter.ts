import { Injectable } from '@nestjs/common';
import { ListedDrops } from '../../domains/index.js';
import { DomainName, forecastExpiry } from '../../domains/language.js';
import { type LifecycleView, toEvidenceView, toLifecycleView, toRecordView } from '../../domains/views.js';
import { Clock } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { effectiveInterval } from '../domain/effective-interval.js';
import type { EntryDetails } from './entry-reader.repository.js';
import {
  detailsView,
  type EntryView,
  entryView,
  type ExpandedEntryView,
  type ExpansionsView,
  failingView,
  listedView,
} from './entry-view.js';
import type { EntryExpansion, ListExpansion } from './list-query.dto.js';
import type { WatchlistRow } from './watchlist-page.repository.js';

@Injectable()
export class EntryPresenter {
  constructor(
    private readonly listedDrops: ListedDrops,
    private readonly clock: Clock,
    private readonly units: TimeUnits,
  ) {}

  /** @param details the full entry, if the request asks for details and the entry still exists */
  showListed(row: WatchlistRow, requested?: readonly ListExpansion[], details?: EntryDetails): ExpandedEntryView {
    const sections = { ...listedView(row), ...this.expand(row, requested) };
    if (!details) return sections;
    return { ...sections, details: detailsView(details, effectiveInterval(details, this.clock.now(), this.units)) };
  }

  show(entry: EntryDetails, requested?: readonly EntryExpansion[]): EntryView {
    const interval = effectiveInterval(entry, this.clock.now(), this.units);
    return { ...this.expand(entry, requested), ...entryView(entry, interval) };
  }

  private expand(row: WatchlistRow, requested: readonly ListExpansion[] = []): ExpansionsView {
    return {
      ...(requested.includes('lifecycle') && { lifecycle: this.expandLifecycle(row) }),
      ...(requested.includes('evidence') && { evidence: (row.background?.evidence ?? []).map(toEvidenceView) }),
      ...(requested.includes('record') && {
        record: row.background?.record ? toRecordView(row.background.record) : null,
      }),
      ...(requested.includes('failing') && { failing: failingView(row) }),
    };
  }

  /** Returns the lifecycle; null before the first confirmed facts, and for rows that were read without facts. */
  private expandLifecycle({ domain, background }: WatchlistRow): LifecycleView | null {
    if (!background?.facts) return null;
    const { facts, phase } = background;
    const listing = this.listedDrops.find(domain);
    const forecast = forecastExpiry(DomainName.restore(domain), facts, phase, this.clock.now(), listing);
    return toLifecycleView(phase, facts, forecast);
  }
}
