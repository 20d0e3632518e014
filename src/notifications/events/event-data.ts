import { ApiProperty } from '@nestjs/swagger';
import {
  type ChangeEventData,
  type DriftChangedEventData,
  ENTRY_STATUSES,
  EVIDENCE_SOURCES,
  EXPECTED_MEMBERS,
  type ExpiringEventData,
  type FailingEventData,
  PURPOSES,
  LIFECYCLE_PHASES,
  LOOKUP_ERROR_CODES,
  MOVES,
  RECORD_KINDS,
  RECORD_VALUE_SCHEMA,
  type RecordChangedEventData,
  type WatchlistEventData,
} from '../../watchlist/language.js';
import { type ChannelDisabled, type ChannelTest, DISABLED_REASONS } from '../domain/channel-events.js';
import type { SummaryData, SummaryGroup } from '../domain/summary.js';

const INSTANT = { type: 'string', format: 'date-time' } as const;
const NULL = { type: 'null', description: 'Always null in this event.' } as const;
const DESCRIPTIONS = {
  source: 'The protocol of the answer.',
  move:
    'The meaning of the change. `discovered`: the first answer about the name. Nobody saw its former status, with which every ' +
    'entry starts.',
  observed: 'The first answer that showed this state.',
  confirmed: 'The last answer before the event that showed this state.',
  threshold:
    'The reminder that is due, in days before the expiry: 60, 30, 14, 7, 3 or 1, unless the entry names others. `expires_at` ' +
    'has the real date.',
  renewal: 'The `renewal` of the entry, only with a reminder of your own date.',
} as const;
const orNull = (description: string) =>
  ({ nullable: true, description: `${description} null: no answer yet.` }) as const;

/**
 * The exported subclasses implement the types of the sent data, so that the API document and the data cannot differ.
 */
class WatchlistData {
  @ApiProperty({ description: 'The watchlist entry.' }) entry_id: string;
  @ApiProperty({ description: 'The name in ASCII (`xn--…`).' }) domain: string;
  @ApiProperty({ description: 'The name in Unicode.' }) domain_unicode: string;
  @ApiProperty({
    enum: ENTRY_STATUSES,
    description: 'After the event. Not an answer yet while `confirmed_at` is null.',
  })
  status: WatchlistEventData['status'];
  @ApiProperty({ enum: ENTRY_STATUSES, description: 'Before the event.' })
  previous_status: WatchlistEventData['status'];
  @ApiProperty({ enum: LIFECYCLE_PHASES, description: 'The status in more detail.' })
  phase: WatchlistEventData['phase'];
  @ApiProperty({ enum: LIFECYCLE_PHASES, description: 'Before the event.' })
  previous_phase: WatchlistEventData['phase'];
  @ApiProperty({
    type: 'integer',
    description: 'Order the events of an entry by this number: each change raises it by one.',
  })
  change_seq: number;
  @ApiProperty({ ...INSTANT, nullable: true, description: 'null where the registry publishes none.' })
  expires_at: string | null;
  @ApiProperty({ type: [String], description: 'The tags of the entry.' }) tags: readonly string[];
  @ApiProperty({ type: String, nullable: true, description: 'The note of the entry.' }) note: string | null;
  @ApiProperty({ enum: PURPOSES, description: 'The purpose: Ours, Want to buy, or Just watching.' })
  purpose: WatchlistEventData['purpose'];
}

class RenewalData {
  @ApiProperty({ format: 'date' }) on: string;
  @ApiProperty({ type: String, nullable: true }) note: string | null;
}

/** The `data` of events that a registry's answer caused. */
class ConfirmedData extends WatchlistData {
  @ApiProperty({ enum: EVIDENCE_SOURCES, description: DESCRIPTIONS.source }) source: ChangeEventData['source'];
  @ApiProperty({ ...INSTANT, description: DESCRIPTIONS.observed }) observed_at: string;
  @ApiProperty({ ...INSTANT, description: DESCRIPTIONS.confirmed }) confirmed_at: string;
}

export class StatusChangeData extends ConfirmedData implements ChangeEventData {
  @ApiProperty({ enum: MOVES, description: DESCRIPTIONS.move }) move: ChangeEventData['move'];
  @ApiProperty({ type: 'integer', nullable: true, description: DESCRIPTIONS.threshold }) threshold_days: number | null;
  @ApiProperty({ required: false, description: DESCRIPTIONS.renewal }) renewal?: RenewalData;
}

export class ExpiringData extends ConfirmedData implements ExpiringEventData {
  @ApiProperty(NULL) move: null;
  @ApiProperty({ type: 'integer', description: DESCRIPTIONS.threshold }) threshold_days: number;
  @ApiProperty({ required: false, description: DESCRIPTIONS.renewal }) renewal?: RenewalData;
}

export class CheckFailureData extends WatchlistData implements FailingEventData {
  @ApiProperty({ enum: LOOKUP_ERROR_CODES, description: 'Why the last check failed; see the error codes.' })
  code: string;
  @ApiProperty({ ...INSTANT, description: 'When the first of these checks failed.' }) since: string;
  @ApiProperty({ enum: [...EVIDENCE_SOURCES, null], ...orNull(DESCRIPTIONS.source) })
  source: WatchlistEventData['source'];
  @ApiProperty({ ...INSTANT, ...orNull(DESCRIPTIONS.observed) }) observed_at: string | null;
  @ApiProperty({ ...INSTANT, ...orNull(DESCRIPTIONS.confirmed) }) confirmed_at: string | null;
  @ApiProperty(NULL) move: null;
  @ApiProperty(NULL) threshold_days: null;
}

export class RecordChangeData extends ConfirmedData implements RecordChangedEventData {
  @ApiProperty({ enum: RECORD_KINDS, description: 'The part of the registration record that changed.' })
  kind: RecordChangedEventData['kind'];
  @ApiProperty({
    ...RECORD_VALUE_SCHEMA,
    description: 'Sorted, and in the same spelling as `after`; empty: there were none.',
  })
  before: RecordChangedEventData['before'];
  @ApiProperty({ ...RECORD_VALUE_SCHEMA, description: 'Two answers showed these values; empty: there are none.' })
  after: RecordChangedEventData['after'];
  @ApiProperty({
    type: 'boolean',
    enum: [true],
    required: false,
    description: 'Only with EPP statuses that changed status or phase, which another event says.',
  })
  part_of_move?: true;
  @ApiProperty(NULL) move: null;
  @ApiProperty(NULL) threshold_days: null;
}

const EXPECTED_VALUES = {
  nameservers: { type: 'array', items: { type: 'string' }, description: 'Sorted, in ASCII.' },
  registrar_id: { type: 'string', description: 'The IANA id of the registrar.' },
  locked: { type: 'boolean', description: 'Whether transfers are prohibited.' },
} as const;
const ACTUAL_VALUES = {
  nameservers: { ...EXPECTED_VALUES.nameservers, nullable: true },
  registrar_id: { ...EXPECTED_VALUES.registrar_id, nullable: true },
  locked: { ...EXPECTED_VALUES.locked, nullable: true },
} as const;

export class DriftChangeData extends ConfirmedData implements DriftChangedEventData {
  @ApiProperty({
    enum: EXPECTED_MEMBERS,
    isArray: true,
    description: 'Members that differ now; empty: the record matches again.',
  })
  drift: DriftChangedEventData['drift'];
  @ApiProperty({ enum: EXPECTED_MEMBERS, isArray: true, description: 'Members that differed before the event.' })
  previous_drift: DriftChangedEventData['previous_drift'];
  @ApiProperty({
    type: 'object',
    properties: EXPECTED_VALUES,
    additionalProperties: false,
    description: 'The `expected` of the entry.',
  })
  expected: DriftChangedEventData['expected'];
  @ApiProperty({
    type: 'object',
    properties: ACTUAL_VALUES,
    required: [...EXPECTED_MEMBERS],
    additionalProperties: false,
    description: 'The values of the record. null: the registry does not say.',
  })
  actual: DriftChangedEventData['actual'];
  @ApiProperty(NULL) move: null;
  @ApiProperty(NULL) threshold_days: null;
}

class SummaryGroupView implements SummaryGroup {
  @ApiProperty({ type: 'integer' }) count: number;
  @ApiProperty({ type: [String], maxItems: 20, description: 'The first of them in ASCII, by their expiry.' })
  domains: readonly string[];
}

export class SummaryEventData implements SummaryData {
  @ApiProperty({ description: 'The channel that gets it.' }) channel_id: string;
  @ApiProperty({ type: String, nullable: true, description: 'The name that the account gave it.' }) label:
    string | null;
  @ApiProperty({ ...INSTANT, description: 'When it was due; later only after an outage.' }) due_at: string;
  @ApiProperty({ type: 'integer', description: 'Names that are watched and not paused, of the tags of the channel.' })
  names: number;
  @ApiProperty({ description: 'Yours, and available: anyone can register them.' }) lost: SummaryGroupView;
  @ApiProperty({ description: 'Yours, and pending deletion: nobody can restore them.' })
  about_to_be_deleted: SummaryGroupView;
  @ApiProperty({ description: 'Available, and you want to buy them.' }) available_and_wanted: SummaryGroupView;
  @ApiProperty({ description: 'In redemption: the registrar can still restore them.' }) in_redemption: SummaryGroupView;
  @ApiProperty({ description: 'Expired, in grace: the registrar can still renew them.' }) in_grace: SummaryGroupView;
  @ApiProperty({ description: 'Expire within 30 days.' }) expires_within_30_days: SummaryGroupView;
  @ApiProperty({ description: 'Their record is not as expected.' }) not_as_expected: SummaryGroupView;
  @ApiProperty({ description: 'Their checks fail.' }) failing: SummaryGroupView;
  @ApiProperty({ description: 'Their registry has never answered.' }) never_answered: SummaryGroupView;
  @ApiProperty({ description: 'Your renewal day is within 30 days, and the registry publishes no expiry.' })
  renewals: SummaryGroupView;
}

export class ChannelDisabledData implements ChannelDisabled {
  @ApiProperty({ description: 'The channel that was disabled.' }) channel_id: string;
  @ApiProperty({ description: '`webhook`, `email`, or a type of an extension.' }) type: string;
  @ApiProperty({ type: String, nullable: true, description: 'The name that the account gave it.' }) label:
    string | null;
  @ApiProperty({
    enum: DISABLED_REASONS,
    description:
      '`gone`: its receiver wants no more. `failing`: nothing but failures for 5 days. `unsubscribed`: its recipient ' +
      'unsubscribed.',
  })
  reason: ChannelDisabled['reason'];
  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The last answer of the receiver, if the reason is `gone`, such as `410 Gone`.',
  })
  detail: ChannelDisabled['detail'];
}

export class ChannelTestData implements ChannelTest {
  @ApiProperty({ description: 'The channel under test.' }) channel_id: string;
  @ApiProperty({ description: 'Text for people.' }) message: string;
}
