import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { WatchlistRow } from './watchlist-page.repository.js';
import { ENTRY_STATUSES, type EntryStatus } from '../../domains/language.js';
import { UTC } from '../../platform/http/validation/fields.js';
import { EvidenceView, LifecycleView, RecordView } from '../../domains/views.js';

export class CreatedEntryView {
  @ApiProperty({ example: 'wl_01jd6z0v8q3m4n5p6r7s8t9vwx' }) id: string;
  @ApiProperty({ example: 'expiring.test' }) domain: string;
  @ApiProperty({ enum: ENTRY_STATUSES, example: 'registered' }) status: EntryStatus;
  @ApiProperty({ type: 'integer', example: 60 }) interval_minutes: number;
  @ApiProperty(UTC) created_at: string;
}

class ListedEntryView extends CreatedEntryView {
  @ApiProperty({
    ...{ ...UTC, nullable: true },
    description: 'When the registry last answered; a failed check does not change it. null before the first answer.',
  })
  last_checked_at: string | null;
}

export class ListedFailingView {
  @ApiProperty({ ...UTC, description: 'Time of the first of these failed checks.' }) since: string;
  @ApiProperty({ example: 'registry_timeout', description: 'Error code of the last one.' }) code: string;
}

/** The sections that `expand` adds to the fields of the specification. */
export interface ExpansionsView {
  readonly lifecycle?: LifecycleView | null;
  readonly evidence?: EvidenceView[];
  readonly record?: RecordView | null;
  readonly failing?: ListedFailingView | null;
}

export class EntrySectionsView extends ListedEntryView implements ExpansionsView {
  @ApiPropertyOptional({
    ...{ type: LifecycleView, nullable: true },
    description: 'With `expand=lifecycle`; null before the first confirmed answer.',
  })
  lifecycle?: LifecycleView | null;

  @ApiPropertyOptional({ type: [EvidenceView], description: 'With `expand=evidence`: the evidence for its facts.' })
  evidence?: EvidenceView[];

  @ApiPropertyOptional({
    ...{ type: RecordView, nullable: true },
    description: 'With `expand=record`: what the registry says beside the status; null before its first record.',
  })
  record?: RecordView | null;

  @ApiPropertyOptional({
    ...{ type: ListedFailingView, nullable: true },
    description: 'With `expand=failing`: why checks fail; null while they succeed.',
  })
  failing?: ListedFailingView | null;
}

export const CREATED_EXAMPLE = {
  id: 'wl_01jd6z0v8q3m4n5p6r7s8t9vwx',
  domain: 'expiring.test',
  status: 'registered',
  interval_minutes: 60,
  created_at: '2026-11-21T02:00:00.000Z',
} as const satisfies CreatedEntryView;

/** Bodies that work as they are, with the first API key. */
export const ADD_EXAMPLES = {
  expiring: {
    summary: 'A name about to expire',
    value: { domain: 'expiring.test', interval_minutes: 60, tags: ['brand'] },
  },
  lifecycle: {
    summary: 'A whole lifecycle in two minutes',
    value: { domain: 'lifecycle-120s.test', interval_minutes: 5 },
  },
  default_interval: { summary: "At the plan's default interval", value: { domain: 'registered.test' } },
};

export const CREATED_EXAMPLES = {
  created: { summary: 'A new entry; its first check runs at once', value: CREATED_EXAMPLE },
};

export function failingView({ failing_since: since, failure_code: code }: WatchlistRow): ListedFailingView | null {
  return since && code ? { since: since.toISOString(), code } : null;
}

export function listedView(row: WatchlistRow): ListedEntryView {
  return {
    id: row.id,
    domain: row.domain,
    status: row.status,
    interval_minutes: row.interval_minutes,
    last_checked_at: row.last_checked_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}
