import { ApiProperty, OmitType } from '@nestjs/swagger';
import { DomainName, LIFECYCLE_PHASES, type LifecyclePhase } from '../../domains/language.js';
import type { EffectiveInterval, IntervalReason } from '../domain/effective-interval.js';
import type { EntryDetails } from './entry-reader.repository.js';
import { EXPECTED_MEMBERS, type ExpectedMember, findDrift } from '../domain/expected-record.js';
import { effectiveRemindDays } from '../domain/expiry-reminders.js';
import { type Intent, INTENTS } from '../domain/watch-events.js';
import { CREATED_EXAMPLE, EntrySectionsView, failingView, ListedFailingView, listedView } from './watchlist.dto.js';
import { UTC } from '../../platform/http/validation/fields.js';

class PendingConfirmationView {
  @ApiProperty({ example: 'available', description: 'The status that one check found.' }) status: string;
  @ApiProperty(UTC) first_seen_at: string;
  @ApiProperty({ ...UTC, description: 'The confirming check counts from this time on.' }) not_before: string;
  @ApiProperty({ enum: ['second_lookup', 'no_delegation', 'dns_answer', 'canary'] }) waiting_for: string;
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
  @ApiProperty({ type: [String], example: ['brand'] }) tags: string[];
  @ApiProperty({ type: String, nullable: true }) note: string | null;
  @ApiProperty({ enum: [...INTENTS] }) intent: Intent;
  @ApiProperty({
    type: [Number],
    example: [60, 30, 14, 7, 3, 1],
    description: 'Days before the expiry with a reminder.',
  })
  remind_days: number[];
  @ApiProperty({ type: RenewalView, nullable: true }) renewal: RenewalView | null;
  @ApiProperty({ type: ExpectedView, nullable: true, description: 'What you expect of the registration record.' })
  expected: ExpectedView | null;
  @ApiProperty({
    ...{ enum: EXPECTED_MEMBERS, isArray: true, example: ['nameservers'] },
    description: 'What differs from `expected`. What the registry does not say is no difference.',
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

export function entryView(entry: EntryDetails, { minutes, reason }: EffectiveInterval): EntryView {
  return {
    ...listedView(entry),
    domain_unicode: DomainName.restore(entry.domain).unicode,
    phase: entry.phase,
    expires_at: entry.expires_at?.toISOString() ?? null,
    expiring_window_days: entry.expiring_window_days,
    effective_interval_minutes: minutes,
    interval_reason: reason,
    next_check_at: entry.paused ? null : (entry.next_check_at?.toISOString() ?? null),
    paused: entry.paused,
    tags: [...entry.tags],
    note: entry.note,
    intent: entry.intent,
    remind_days: [...effectiveRemindDays(entry.remindDays, entry.intent)],
    renewal: entry.renewal,
    expected: entry.expected,
    drift: findDrift(entry.expected, entry.background?.record ?? null),
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
      intent: 'own',
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
