import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import type { WatchlistRow } from './watchlist-page.repository.js';
import {
  ENTRY_STATUSES,
  type EntryStatus,
  DomainName,
  LIFECYCLE_PHASES,
  type LifecyclePhase,
} from '../../domains/language.js';
import { UTC } from '../../platform/http/validation/fields.js';
import { EvidenceView, LifecycleView, RecordView } from '../../domains/views.js';
import type { EffectiveInterval, IntervalReason } from '../domain/effective-interval.js';
import type { EntryDetails } from './entry-reader.repository.js';
import {
  EXPECTED_MEMBERS,
  type ExpectedMember,
  type Purpose,
  PURPOSES,
  type HasSettings,
  toSettingFields,
} from '../domain/entry-settings.js';
import { findDrift } from '../domain/drift.js';
import { effectiveRemindDays } from '../domain/expiry-reminders.js';
import { PageMeta } from '../../platform/http/page.js';

export class CreatedEntryView {
  @ApiProperty({ example: 'wl_01jd6z0v8q3m4n5p6r7s8t9vwx' }) id: string;
  @ApiProperty({ example: 'expiring.test' }) domain: string;
  @ApiProperty({ enum: ENTRY_STATUSES, example: 'registered' }) status: EntryStatus;
  @ApiProperty({ type: 'integer', example: 60 }) interval_minutes: number;
  @ApiProperty(UTC) created_at: string;
}

class ListedEntryView extends CreatedEntryView {
  @ApiProperty({
    ...UTC,
    nullable: true,
    description: 'When the registry last answered; a failed check does not change it. null before the first answer.',
  })
  last_checked_at: string | null;
}

class ListedFailingView {
  @ApiProperty({ ...UTC, description: 'Time of the first of these failed checks.' }) since: string;
  @ApiProperty({ example: 'registry_timeout', description: 'Error code of the last one.' }) code: string;
}

/** The fields of a listed entry, and the sections that `expand` adds to them. */
class EntrySectionsView extends ListedEntryView {
  @ApiPropertyOptional({
    type: LifecycleView,
    nullable: true,
    description: 'With `expand=lifecycle`; null before the first confirmed answer.',
  })
  lifecycle?: LifecycleView | null;

  @ApiPropertyOptional({ type: [EvidenceView], description: 'With `expand=evidence`: the evidence for its facts.' })
  evidence?: EvidenceView[];

  @ApiPropertyOptional({
    type: RecordView,
    nullable: true,
    description: 'With `expand=record`: what the registry says beside the status; null before its first record.',
  })
  record?: RecordView | null;

  @ApiPropertyOptional({
    type: ListedFailingView,
    nullable: true,
    description: 'With `expand=failing`: why checks fail; null while they succeed.',
  })
  failing?: ListedFailingView | null;
}

export type ExpansionsView = Omit<EntrySectionsView, keyof ListedEntryView>;

const CREATED_EXAMPLE = {
  id: 'wl_01jd6z0v8q3m4n5p6r7s8t9vwx',
  domain: 'expiring.test',
  status: 'registered',
  interval_minutes: 60,
  created_at: '2026-11-21T02:00:00.000Z',
} as const satisfies CreatedEntryView;

/** Example bodies that users can send unchanged. */
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

class PendingConfirmationView {
  @ApiProperty({ example: 'available', description: 'The status that one check found.' }) status: string;
  @ApiProperty(UTC) first_seen_at: string;
  @ApiProperty({ ...UTC, description: 'The confirming check counts from this time on.' }) not_before: string;
  @ApiProperty({ enum: ['second_lookup', 'no_delegation', 'canary'] }) waiting_for: string;
}

class FailingView extends ListedFailingView {
  @ApiProperty({ type: 'integer', example: 3, description: 'Consecutive failed checks.' }) failures: number;
}

class RenewalView {
  @ApiProperty({ format: 'date', example: '2027-03-01' }) on: string;
  @ApiProperty({ type: String, nullable: true, example: 'Invoice of the registrar.' }) note: string | null;
}

class ExpectedView {
  @ApiProperty({ required: false, type: [String], example: ['ns1.hoster.test', 'ns2.hoster.test'] })
  nameservers?: readonly string[];
  @ApiProperty({ required: false, example: '292' }) registrar_id?: string;
  @ApiProperty({ required: false }) locked?: boolean;
}

const INTERVAL_REASONS: readonly IntervalReason[] = ['budget', 'plan', 'backlog'];

export class EntryView extends OmitType(EntrySectionsView, ['failing']) {
  @ApiProperty({ example: 'expiring.test' }) domain_unicode: string;
  @ApiProperty({ enum: LIFECYCLE_PHASES, example: 'expiring' }) phase: LifecyclePhase;
  @ApiProperty({
    ...UTC,
    nullable: true,
    description: 'The date that the registry publishes; null when it publishes none.',
  })
  expires_at: string | null;
  @ApiProperty({ type: 'integer', example: 30 }) expiring_window_days: number;
  @ApiProperty({ type: 'integer', example: 60, description: 'The interval that checks really have.' })
  effective_interval_minutes: number;
  @ApiProperty({
    enum: [...INTERVAL_REASONS, null],
    nullable: true,
    description: 'Why it differs from the chosen interval.',
  })
  interval_reason: IntervalReason | null;
  @ApiProperty({ ...UTC, nullable: true, description: 'null while no check is scheduled.' })
  next_check_at: string | null;
  @ApiProperty() paused: boolean;
  @ApiProperty({ type: [String], example: ['brand'] }) tags: readonly string[];
  @ApiProperty({ type: String, nullable: true }) note: string | null;
  @ApiProperty({ enum: [...PURPOSES] }) purpose: Purpose;
  @ApiProperty({
    type: [Number],
    example: [60, 30, 14, 7, 3, 1],
    description: 'Days before the expiry with a reminder.',
  })
  remind_days: readonly number[];
  @ApiProperty({ type: RenewalView, nullable: true }) renewal: RenewalView | null;
  @ApiProperty({ type: ExpectedView, nullable: true, description: 'The registration record that you expect.' })
  expected: ExpectedView | null;
  @ApiProperty({
    enum: EXPECTED_MEMBERS,
    isArray: true,
    example: ['nameservers'],
    description:
      'The members that differ from `expected`. A value that the registry does not publish is no difference.',
  })
  drift: ExpectedMember[];
  @ApiProperty({ type: 'integer', example: 1, description: 'Number of moves so far.' }) change_seq: number;
  @ApiProperty({
    type: PendingConfirmationView,
    nullable: true,
    description: 'A change that waits for a second check.',
  })
  pending_confirmation: PendingConfirmationView | null;
  @ApiProperty({ type: FailingView, nullable: true, description: 'null while checks succeed.' })
  failing: FailingView | null;
  @ApiProperty(UTC) updated_at: string;
}

export function entryView(entry: EntryDetails, { minutes, reason }: EffectiveInterval): HasSettings<EntryView> {
  const { settings } = entry;
  const { expiring_window_days, ...shown } = toSettingFields(settings);
  return {
    ...listedView(entry),
    domain_unicode: DomainName.restore(entry.domain).unicode,
    phase: entry.phase,
    expires_at: entry.expires_at?.toISOString() ?? null,
    expiring_window_days,
    effective_interval_minutes: minutes,
    interval_reason: reason,
    next_check_at: settings.paused ? null : (entry.next_check_at?.toISOString() ?? null),
    ...shown,
    remind_days: effectiveRemindDays(settings.remindDays, settings.purpose),
    drift: findDrift(settings.expected, entry.background?.record ?? null),
    change_seq: entry.change_seq,
    pending_confirmation: pendingConfirmationView(entry),
    failing: failingWithCount(entry),
    updated_at: entry.updated_at.toISOString(),
  };
}

function pendingConfirmationView({ pending }: EntryDetails): PendingConfirmationView | null {
  if (!pending) return null;
  const { status, firstSeenAt, notBefore, waitingFor } = pending;
  const [first_seen_at, not_before] = [firstSeenAt.toISOString(), notBefore.toISOString()];
  return { status, first_seen_at, not_before, waiting_for: waitingFor };
}

function failingWithCount(entry: EntryDetails): FailingView | null {
  const failing = failingView(entry);
  return failing && { ...failing, failures: entry.failures };
}

export const ENTRY_EXAMPLES = {
  expiring: {
    summary: 'A name about to expire',
    value: {
      ...CREATED_EXAMPLE,
      status: 'expiring',
      last_checked_at: '2026-11-21T02:00:00.500Z',
      domain_unicode: 'expiring.test',
      phase: 'expiring',
      expires_at: '2026-12-01T02:00:00.000Z',
      expiring_window_days: 30,
      effective_interval_minutes: 60,
      interval_reason: null,
      next_check_at: '2026-11-21T02:57:00.500Z',
      paused: false,
      tags: ['brand'],
      note: null,
      purpose: 'own',
      remind_days: [60, 30, 14, 7, 3, 1],
      renewal: null,
      expected: null,
      drift: [],
      change_seq: 1,
      pending_confirmation: null,
      failing: null,
      updated_at: '2026-11-21T02:00:00.600Z',
    } satisfies EntryView,
  },
};

const LISTED = [
  'id',
  'domain',
  'status',
  'interval_minutes',
  'created_at',
  'last_checked_at',
  'lifecycle',
  'evidence',
] as const;

class EntryDetailsView extends OmitType(EntryView, LISTED) {}

class PhaseSinceView {
  @ApiProperty({ enum: LIFECYCLE_PHASES, example: 'expiring' }) phase: LifecyclePhase;
  @ApiProperty(UTC) since: string;
}

export class ExpandedEntryView extends EntrySectionsView {
  @ApiPropertyOptional({
    type: EntryDetailsView,
    description: 'With `expand=details`: the other fields of the entry, as it shows them itself.',
  })
  details?: EntryDetailsView;

  @ApiPropertyOptional({
    type: [PhaseSinceView],
    description: 'With `expand=phases`: its phases of the last twelve months, 24 at most, the oldest first.',
  })
  phases?: PhaseSinceView[];
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
