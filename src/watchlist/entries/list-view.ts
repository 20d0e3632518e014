import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { PageMeta } from '../../platform/http/page.js';
import type { EntryDetails } from './entry-reader.repository.js';
import type { EffectiveInterval } from '../domain/effective-interval.js';
import { EntryView, entryView } from './entry-view.js';
import { CREATED_EXAMPLE, EntrySectionsView } from './watchlist.dto.js';

const LISTED = [
  ...(['id', 'domain', 'status', 'interval_minutes', 'created_at', 'last_checked_at'] as const),
  ...(['lifecycle', 'evidence'] as const),
] as const;

/** What an entry shows beside the fields and sections of the list. */
export class EntryDetailsView extends OmitType(EntryView, LISTED) {}

/** An entry of the list, with the requested sections. */
export class ExpandedEntryView extends EntrySectionsView {
  @ApiPropertyOptional({
    type: EntryDetailsView,
    description: 'With `expand=details`: the other fields of the entry, as it shows them itself.',
  })
  details?: EntryDetailsView;
}

export class WatchlistView {
  @ApiProperty({ type: [ExpandedEntryView] }) data: ExpandedEntryView[];
  @ApiProperty({ type: PageMeta }) meta: PageMeta;
}

export const LIST_EXAMPLES = {
  one: {
    summary: 'One entry after its first check',
    value: {
      data: [{ ...CREATED_EXAMPLE, status: 'expiring', last_checked_at: '2026-11-21T02:00:00.500Z' }],
      meta: { page: 1, per_page: 20, total: 1 },
    } satisfies WatchlistView,
  },
};

export function detailsView(entry: EntryDetails, interval: EffectiveInterval): EntryDetailsView {
  const { id, domain, status, interval_minutes, created_at, last_checked_at, ...details } = entryView(entry, interval);
  return details;
}
