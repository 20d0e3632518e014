import { ApiProperty } from '@nestjs/swagger';
import type { EntryStatus } from '../../domains/language.js';
import { PageMeta, PageQuery } from '../../platform/http/page.js';
import { SINGLE_LINE_PATTERN, TextField } from '../../platform/http/validation/fields.js';
import type { Need } from '../domain/needs.js';

const Count = (example: number, description: string) => ApiProperty({ type: 'integer', example, description });

class WatchlistNeedsView implements Record<Need, number> {
  @Count(0, '`status=available&purpose=own`: anyone can register them.') lost: number;
  @Count(0, '`phase=pending_delete&purpose=own`: nobody can restore them.') about_to_be_deleted: number;
  @Count(3, '`status=available&purpose=acquire`') available_and_wanted: number;
  @Count(0, '`phase=redemption`: deleted, and the registrar can still restore them.') in_redemption: number;
  @Count(2, '`phase=expired_grace`: expired, and the registrar can still renew them.') in_grace: number;
  @Count(14, '`expires_within_days=30`') expires_within_30_days: number;
  @Count(0, '`drift=true`') not_as_expected: number;
  @Count(1, '`failing=true`') failing: number;
  @Count(0, '`answered=false`') never_answered: number;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 0,
    description: 'Notification channels that fail or wait for their address; null for a key that may not see them.',
  })
  failing_channels: number | null;
}

class StatusCountsView implements Record<EntryStatus, number> {
  @Count(4, '`status=available`') available: number;
  @Count(281, '`status=registered`') registered: number;
  @Count(14, '`status=expiring`') expiring: number;
  @Count(1, '`status=pending_delete`') pending_delete: number;
}

class MonthView {
  @ApiProperty({ example: '2026-12', description: 'In UTC, as `expires_in_month` takes it.' }) month: string;
  @Count(11, '`purpose=own`') own: number;
  @Count(3, 'Those with another purpose.') other: number;
}

export class WatchlistSummaryView {
  @ApiProperty({ type: 'integer', example: 300, description: 'All entries.' }) entries: number;
  @ApiProperty({
    type: WatchlistNeedsView,
    description:
      'The names that need action. Each number is the `total` of the list with these filters and `paused=false`.',
  })
  action_needed: WatchlistNeedsView;

  @ApiProperty({ type: StatusCountsView, description: 'How many entries have each status, the paused ones too.' })
  statuses: StatusCountsView;

  @ApiProperty({
    type: [MonthView],
    minItems: 12,
    maxItems: 12,
    description:
      'The expiries of this month and of the next eleven. `own` and `other` together are the `total` of the list with ' +
      'this `expires_in_month` and `paused=false`.',
  })
  expires_by_month: MonthView[];
}

export class TagsQuery extends PageQuery {
  @TextField({
    minLength: 1,
    maxLength: 50,
    pattern: SINGLE_LINE_PATTERN,
    description: 'Only tags that contain this text, in any case.',
    optional: true,
  })
  search?: string;
}

class TagView {
  @ApiProperty({ example: 'brand' }) tag: string;
  @ApiProperty({ type: 'integer', example: 59, description: 'How many entries have it.' }) entries: number;
}

export class TagsView {
  @ApiProperty({ type: [TagView] }) data: TagView[];
  @ApiProperty({ type: PageMeta }) meta: PageMeta;
}

class OperatorView {
  @ApiProperty({ example: 'sandbox', description: 'As `GET /v1/registries` names it.' }) operator: string;
  @ApiProperty({ type: [String], example: ['test'], description: 'The top-level domains of these entries.' })
  tlds: string[];
  @ApiProperty({ type: 'integer', example: 300 }) entries: number;
  @Count(2, 'Those whose checks fail at the moment, without the paused ones.') failing: number;
}

export class OperatorsView {
  @ApiProperty({ type: [OperatorView] }) data: OperatorView[];
}

export const SUMMARY_EXAMPLES = {
  some: {
    summary: 'Some names need action',
    value: {
      entries: 300,
      action_needed: {
        lost: 0,
        about_to_be_deleted: 0,
        available_and_wanted: 3,
        in_redemption: 0,
        in_grace: 2,
        expires_within_30_days: 14,
        not_as_expected: 0,
        failing: 1,
        never_answered: 0,
        failing_channels: 0,
      },
      statuses: { available: 4, registered: 281, expiring: 14, pending_delete: 1 },
      expires_by_month: Array.from({ length: 12 }, (_, month) => ({
        month: `2027-${String(month + 1).padStart(2, '0')}`,
        own: (month * 5) % 12,
        other: month % 3,
      })),
    } satisfies WatchlistSummaryView,
  },
};

export const TAGS_EXAMPLES = {
  one: {
    summary: 'One tag',
    value: { data: [{ tag: 'brand', entries: 59 }], meta: { page: 1, per_page: 20, total: 1 } } satisfies TagsView,
  },
};

export const OPERATORS_EXAMPLES = {
  sandbox: {
    summary: 'Names of the sandbox',
    value: { data: [{ operator: 'sandbox', tlds: ['test'], entries: 300, failing: 2 }] } satisfies OperatorsView,
  },
};
