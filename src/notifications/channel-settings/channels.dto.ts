import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { IsObject, IsOptional, ValidateBy } from 'class-validator';
import { HIDDEN_CHARACTERS } from '../../kernel/printable-line.js';
import { computeEtagVersion } from '../../platform/http/hooks/conditional-requests.js';
import {
  BooleanField,
  ChoiceField,
  ChoiceListField,
  IntegerField,
  ObjectField,
  Optional,
  VISIBLE_LINE,
  TextField,
  TextListField,
} from '../../platform/http/validation/fields.js';
import { type ChannelDetails, MAX_COUNTED } from '../channels/channel-reader.repository.js';
import { OUTCOMES } from '../domain/attempt.js';
import { EVENT_FILTERS } from '../domain/event-type.js';
import { isTimeZone, SUMMARY_PERIODS, type SummarySchedule } from '../domain/summary.js';
import { FORMAT_NAMES } from '../domain/formats/chat-formats.js';

export const CHANNEL_TYPES = ['email', 'webhook'];
export const EXAMPLE_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';

const eventTypes = {
  description:
    'Only events of these types. `watchlist.status_changed` includes `watchlist.available`. Empty: all, but changes ' +
    'of the registration record only for names whose purpose is `own`.',
  items: { enum: EVENT_FILTERS },
  example: ['watchlist.status_changed'],
  maxItems: 20,
  optional: true,
} as const;
/** Allows the same number and length of tags as a watchlist entry. */
const tags = {
  description: 'Only events of entries with one of these tags. Empty: all.',
  items: { minLength: 1, maxLength: 50, ...VISIBLE_LINE },
  example: ['brand'],
  maxItems: 20,
  optional: true,
} as const;
/** Mail subjects contain the label, so it must be one visible line. */
const label = {
  minLength: 1,
  maxLength: 60,
  pattern: `^[^\\s${HIDDEN_CHARACTERS}]([^${HIDDEN_CHARACTERS}]*[^\\s${HIDDEN_CHARACTERS}])?$`,
  expected: 'one line without hidden characters that neither begins nor ends with a space',
  description: 'Your name for the channel: unique among the channels of the account, in any case.',
  example: 'Shop team',
  optional: true,
} as const;
const credential = {
  description:
    'Only for types of an extension that need one, such as an API token: their example says so. Sealed at rest and never ' +
    'shown again.',
  minLength: 1,
  maxLength: 4_096,
  optional: true,
} as const;
const aboutSummary = {
  description:
    'When it gets a `watchlist.summary`: what expires within 60 days, is in grace, is being deleted, fails, or is available, of ' +
    'the names of its tags. Sent once for each time, late after an outage.',
  optional: true,
} as const;

class SummaryBody implements SummarySchedule {
  @ChoiceField({ enum: SUMMARY_PERIODS, example: 'week' }) every: SummarySchedule['every'];
  @IntegerField({
    ...{ minimum: 1, maximum: 31, example: 1 },
    description: 'The day of the week, 1 (Monday) to 7, or of the month: in a shorter month its last day.',
  })
  on: number;
  @TextField({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', expected: 'a time such as 08:00', example: '08:00' })
  at: string;
  @TextField({ maxLength: 64, example: 'Europe/Berlin', description: 'A zone of the IANA time zone database.' })
  @IsTimeZone()
  zone: string;
  @BooleanField({ default: false, description: 'Whether it is sent when there is nothing to say.' })
  send_empty: boolean = false;
}

function IsTimeZone(): PropertyDecorator {
  const validate = (zone: unknown) => typeof zone === 'string' && isTimeZone(zone);
  const message = 'zone must be a time zone such as Europe/Berlin';
  return ValidateBy({ name: 'isTimeZone', validator: { validate } }, { message });
}

const aboutHeaders = 'Webhooks only: at most 10 additional headers, a token for example. Values are never shown again.';
const headers = (type: string | string[]) =>
  ({ type: 'object', additionalProperties: { type }, example: { 'x-team': 'domains' } }) as never;

class ChannelSettings {
  @TextField(label)
  label?: string;

  @ChoiceListField(eventTypes)
  event_types?: string[];

  @TextListField(tags)
  tags?: string[];

  @ApiPropertyOptional({ description: aboutHeaders, ...(headers('string') as object) })
  @Optional()
  @IsObject()
  headers?: Record<string, unknown>;

  @TextField(credential)
  credential?: string;

  @ObjectField(SummaryBody, aboutSummary)
  summary?: SummaryBody;
}

export class OpenChannelBody extends ChannelSettings {
  // The enum is only for the documentation, because extensions add types. The service refuses an unknown type.
  @TextField({ enum: CHANNEL_TYPES, example: 'webhook', maxLength: 64 })
  type: string;

  @TextField({
    example: 'https://hooks.example.test/namewatch',
    maxLength: 4_096,
    description: 'An email address, a valid HTTPS URL, or what the type of an extension needs.',
  })
  target: string;

  @ChoiceField({
    enum: FORMAT_NAMES,
    description:
      'Webhooks only: write messages for this product. Its URL, keys included, is the target, which is sealed at rest and ' +
      'masked in answers. Without it, signed events are posted. It never changes.',
    optional: true,
  })
  format?: string;
}

/** A merge patch (RFC 7396). A missing field stays unchanged, and null resets a field. */
export class ChangeChannelBody {
  @TextField({ ...label, nullable: true })
  label?: string | null;

  @ChoiceListField({ ...eventTypes, example: ['watchlist.available'], nullable: true })
  event_types?: string[] | null;

  @TextListField({ ...tags, nullable: true })
  tags?: string[] | null;

  @ApiPropertyOptional({
    description: `${aboutHeaders} null takes one away, or all of them.`,
    nullable: true,
    ...(headers(['string', 'null']) as object),
  })
  @IsOptional()
  @IsObject()
  headers?: Record<string, unknown> | null;

  @TextField(credential)
  credential?: string;

  @ObjectField(SummaryBody, { ...aboutSummary, nullable: true })
  summary?: SummaryBody | null;

  @BooleanField({
    description:
      'false: its pending deliveries are paused and can be replayed. true: it gets events from now on; an email address that has not confirmed, or has unsubscribed, must confirm first (409).',
    example: true,
    optional: true,
  })
  active?: boolean;
}

export class RotateSecretBody {
  @IntegerField({
    minimum: 0,
    maximum: 604_800,
    default: 86_400,
    description: 'How long older secrets sign too, in seconds. 0 ends them at once.',
  })
  grace_seconds: number = 86_400;
}

class ChannelFieldsView {
  @ApiProperty({ example: 'nc_01jd6z0v8q3m4n5p6r7s8t9vwx' }) id: string;
  @ApiProperty({ enum: CHANNEL_TYPES, example: 'webhook' }) type: string;
  @ApiProperty({
    example: 'https://hooks.example.test/namewatch',
    description: 'As it was entered; masked where it is a secret.',
  })
  target: string;
  @ApiProperty({ example: true, description: 'Whether events are sent. `GET /v1/notifications/{id}` shows why not.' })
  active: boolean;
}

export class OpenedChannelView extends ChannelFieldsView {
  @ApiProperty({ required: false, enum: [...FORMAT_NAMES], description: 'As it was asked for.' })
  format?: string;
  @ApiProperty({ required: false, example: 'Shop team', description: 'As it was asked for.' })
  label?: string;
  @ApiProperty({
    required: false,
    example: EXAMPLE_SECRET,
    description: 'The key of its signatures, for webhooks without a format and other types that sign. Shown once.',
  })
  secret?: string;
}

export class SecretView {
  @ApiProperty({ description: 'Shown once.' }) secret: string;
}

const STRINGS = { type: 'array', items: { type: 'string' } } as const;
const INSTANT = { type: 'string', format: 'date-time' } as const;

class SummaryView implements SummarySchedule {
  @ApiProperty({ enum: SUMMARY_PERIODS }) every: SummarySchedule['every'];
  @ApiProperty({ type: 'integer', example: 1 }) on: number;
  @ApiProperty({ example: '08:00' }) at: string;
  @ApiProperty({ example: 'Europe/Berlin' }) zone: string;
  @ApiProperty() send_empty: boolean;
}

class WaitingView {
  @ApiProperty({
    type: 'integer',
    example: 20,
    maximum: MAX_COUNTED,
    description: 'How many, counted up to a thousand.',
  })
  events: number;
  @ApiProperty({ type: 'integer', example: 19, description: 'How many of them failed before, and are tried again.' })
  retried: number;
  @ApiProperty({
    ...INSTANT,
    example: '2026-11-21T02:05:00.000Z',
    description: 'When the next of those that failed is tried; where none failed, of all.',
  })
  next_attempt_at: string;
  @ApiProperty({
    type: 'string',
    enum: [...OUTCOMES, null],
    nullable: true,
    example: 'http_error',
    description: 'How the last attempt at that one ended.',
  })
  outcome: string | null;
  @ApiProperty({ type: 'integer', nullable: true, example: 503, description: 'The status of HTTP or SMTP.' })
  response_status: number | null;
}

export class ChannelDetailsView extends ChannelFieldsView {
  @ApiProperty({ type: 'string', nullable: true, example: 'Shop team', description: 'The account’s name for it.' })
  label: string | null;
  @ApiProperty({
    type: 'string',
    nullable: true,
    enum: [...FORMAT_NAMES, null],
    example: null,
    description: 'The product that a webhook writes for. null: signed events.',
  })
  format: string | null;
  @ApiProperty({ type: 'array', items: { type: 'string', enum: [...EVENT_FILTERS] }, description: 'Empty: all.' })
  event_types: string[];
  @ApiProperty({ ...STRINGS, description: 'Empty: all.' }) tags: string[];
  @ApiProperty({ ...STRINGS, description: 'The names of additional headers; values are never shown.' })
  headers: string[];
  @ApiProperty({
    type: 'string',
    nullable: true,
    example: null,
    description:
      'Why it is inactive: `gone` (its receiver wants no more), `failing` (only failures for 5 days), ' +
      '`unsubscribed` (by its recipient), `unconfirmed` (its address has yet to confirm), ' +
      '`mail_not_configured` (there is no mail relay) or `switched_off`.',
  })
  reason: string | null;
  @ApiProperty({
    type: 'string',
    nullable: true,
    example: null,
    description: 'The receiver’s last answer, if the reason is `gone`: `410 Gone`, or why no more can be sent there.',
  })
  reason_detail: string | null;
  @ApiProperty({ ...INSTANT, nullable: true, example: null }) disabled_at: string | null;
  @ApiProperty({
    type: WaitingView,
    nullable: true,
    example: null,
    description: 'Events that have not arrived yet. null: none.',
  })
  waiting: WaitingView | null;
  @ApiProperty({ type: SummaryView, nullable: true, example: null, description: 'null: it gets none.' })
  summary: SummaryView | null;
  @ApiProperty({ ...INSTANT, nullable: true, example: null }) next_summary_at: string | null;
  @ApiProperty({ ...INSTANT, example: '2026-11-21T02:00:00.000Z' }) created_at: string;
}

/** The fields of a channel that the list shows only with `expand=details`. */
class ChannelMoreView extends OmitType(ChannelDetailsView, ['id', 'type', 'target', 'active']) {}

export class ChannelView extends ChannelFieldsView {
  @ApiPropertyOptional({
    type: ChannelMoreView,
    description: 'With `expand=details`: the other fields of the channel.',
  })
  details?: ChannelMoreView;
}

export class ChannelsView {
  @ApiProperty({ type: [ChannelView] }) data: ChannelView[];
}

export class ChannelsQuery {
  @ChoiceField({ enum: ['details'], description: 'Adds the other fields of each channel.', optional: true })
  expand?: 'details';
}

export function listedView(channel: ChannelDetails): ChannelView {
  const { id, type, target, active, ...details } = detailsView(channel);
  return { id, type, target, active, details };
}

export function detailsView(channel: ChannelDetails): ChannelDetailsView {
  const { id, type, label, format, target, active, reason, reasonDetail } = channel;
  return {
    id,
    type,
    label,
    format,
    target,
    active,
    event_types: [...channel.eventTypes],
    tags: [...channel.tags],
    headers: Object.keys(channel.headers).sort(),
    reason,
    reason_detail: reasonDetail,
    disabled_at: channel.disabledAt?.toISOString() ?? null,
    waiting: waitingView(channel),
    summary: channel.summary,
    next_summary_at: channel.nextSummaryAt?.toISOString() ?? null,
    created_at: channel.createdAt.toISOString(),
  };
}

function waitingView({ waiting }: ChannelDetails): WaitingView | null {
  if (waiting === null) return null;
  const { events, retried, nextAttemptAt, outcome, responseStatus } = waiting;
  const next = new Date(nextAttemptAt).toISOString();
  return { events, retried, next_attempt_at: next, outcome, response_status: responseStatus };
}

/** Setting the same header or credential again changes the ETag, because each encryption gives different bytes. */
export function channelEtagVersion({
  summary,
  label,
  active,
  eventTypes,
  tags,
  headers,
  sealedCredential,
}: Pick<
  ChannelDetails,
  'summary' | 'label' | 'active' | 'eventTypes' | 'tags' | 'headers' | 'sealedCredential'
>): string {
  const credential = sealedCredential === null ? [] : [sealedCredential];
  return computeEtagVersion([summary, label, active, eventTypes, tags, Object.entries(headers).sort(), ...credential]);
}
