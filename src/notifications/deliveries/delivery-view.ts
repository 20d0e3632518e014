import { ApiProperty } from '@nestjs/swagger';
import { ENTRY_STATUSES, LIFECYCLE_PHASES, MOVES, RECORD_KINDS } from '../../watchlist/language.js';
import { PageMeta } from '../../platform/http/page.js';
import { InstantField } from '../../platform/http/validation/fields.js';
import { type AttemptRow, DAYS, type DeliveryRow } from './delivery-reader.repository.js';
import { OUTCOMES } from '../domain/attempt.js';
import { DELIVERY_STATES } from '../domain/delivery.js';
import type { NameChange } from '../domain/event-text.js';

export const CHANNEL_ID = {
  name: 'id',
  schema: { type: 'string', pattern: '^nc_[0-9a-z]{26}$' },
  description: 'The `id` of a channel: add one, or take one from the list of channels.',
} as const;

export const DELIVERY_ID = {
  name: 'id',
  schema: { type: 'string', pattern: '^dl_[0-9a-z]{26}$' },
  description: 'The `id` of a delivery: send a test event to a channel, or take one from the deliveries of a channel.',
} as const;

export const ENTRY_ID = {
  name: 'id',
  schema: { type: 'string', pattern: '^wl_[0-9a-z]{26}$' },
  description:
    'The `id` of an entry: take one from the list. The `id` of a removed entry works while its events are kept.',
} as const;

const AT = '2026-11-21T02:00:00.000Z';
const NO_CHANGE = {
  entry_id: null,
  domain: null,
  domain_unicode: null,
  status: null,
  previous_status: null,
  phase: null,
  previous_phase: null,
  move: null,
  kind: null,
  threshold_days: null,
  due_on: null,
};
const DELIVERED: DeliveryView = {
  id: 'dl_01jd6z0v8q3m4n5p6r7s8t9vwx',
  event_id: 'evt_01jd6z0v8q3m4n5p6r7s8t9vwx',
  event_type: 'watchlist.available',
  entry_id: 'wl_01jd6z0v8q3m4n5p6r7s8t9vwx',
  domain: 'available.test',
  domain_unicode: 'available.test',
  status: 'available',
  previous_status: 'pending_delete',
  phase: 'available',
  previous_phase: 'pending_delete',
  move: 'dropped',
  kind: null,
  threshold_days: null,
  due_on: null,
  channel_id: 'nc_01jd6z0v8q3m4n5p6r7s8t9vwx',
  channel_label: 'Shop team',
  state: 'delivered',
  next_attempt_at: null,
  created_at: AT,
  attempts: [
    { number: 1, started_at: AT, duration_ms: 84, outcome: 'ok', response_status: 204, response_excerpt: null },
  ],
};

export const DELIVERIES_EXAMPLES = {
  one: {
    summary: 'Delivered at the first attempt',
    value: { data: [DELIVERED], meta: { page: 1, per_page: 20, total: 1 } } satisfies DeliveriesView,
  },
};
export const TEST_EXAMPLES = {
  test: {
    summary: 'Pending',
    value: {
      ...DELIVERED,
      ...NO_CHANGE,
      event_type: 'channel.test',
      state: 'pending',
      next_attempt_at: AT,
      attempts: [],
    } satisfies DeliveryView,
  },
};
export const REDELIVER_EXAMPLES = {
  again: {
    summary: 'Pending again',
    value: { ...DELIVERED, state: 'pending', next_attempt_at: AT } satisfies DeliveryView,
  },
};
export const REPLAY_BODIES = {
  day: { summary: 'One day', value: { from: '2026-11-20T00:00:00Z', to: '2026-11-21T00:00:00Z' } },
};
export const REPLAY_EXAMPLES = { some: { summary: 'Twelve deliveries', value: { count: 12 } } };

const INSTANT = { type: 'string', format: 'date-time', example: '2026-11-21T02:00:00.000Z' } as const;
const integer = (example: number) => ({ type: 'integer', example, nullable: true }) as const;

class AttemptView {
  @ApiProperty({ type: 'integer', example: 1 }) number: number;
  @ApiProperty(INSTANT) started_at: string;
  @ApiProperty({ ...integer(84), description: 'null while in progress, and for a lost attempt.' })
  duration_ms: number | null;
  @ApiProperty({
    type: 'string',
    enum: [...OUTCOMES, null],
    example: 'ok',
    nullable: true,
    description:
      'null while in progress. `blocked`: the address is not public (WEBHOOK_ALLOW_NETWORKS), the port not allowed, or ' +
      'it is this service. `tls`: no valid certificate (WEBHOOK_CA_FILE). `lost`: the service crashed.',
  })
  outcome: string | null;
  @ApiProperty({ ...integer(204), description: 'The status of HTTP or SMTP.' }) response_status: number | null;
  @ApiProperty({
    type: 'string',
    nullable: true,
    example: null,
    description: 'At most 4 kB of the reply, without secrets of the channel.',
  })
  response_excerpt: string | null;
}

/** Documents a field that is null for events about channels. */
const ofName = (example: string, description: string) =>
  ({
    type: 'string',
    example,
    nullable: true,
    description: `${description} null: the event is about a channel.`,
  }) as const;
const oneOf = (values: readonly string[], example: string | null, description: string) =>
  ({ type: 'string', enum: [...values, null], example, nullable: true, description }) as const;

export class DeliveryView {
  @ApiProperty({ example: 'dl_01jd6z0v8q3m4n5p6r7s8t9vwx' }) id: string;
  @ApiProperty({ example: 'evt_01jd6z0v8q3m4n5p6r7s8t9vwx' }) event_id: string;
  @ApiProperty({ example: 'watchlist.available' }) event_type: string;
  @ApiProperty(ofName('wl_01jd6z0v8q3m4n5p6r7s8t9vwx', 'The watchlist entry.')) entry_id: string | null;
  @ApiProperty(ofName('available.test', 'The name in ASCII (`xn--…`).')) domain: string | null;
  @ApiProperty(ofName('available.test', 'The name in Unicode.')) domain_unicode: string | null;
  @ApiProperty(oneOf(ENTRY_STATUSES, 'available', 'After the event; null for events about channels.'))
  status: NameChange['status'] | null;
  @ApiProperty(oneOf(ENTRY_STATUSES, 'pending_delete', 'Before the event; the same where it did not change.'))
  previous_status: NameChange['status'] | null;
  @ApiProperty(oneOf(LIFECYCLE_PHASES, 'available', 'The status in more detail.'))
  phase: NameChange['phase'] | null;
  @ApiProperty(oneOf(LIFECYCLE_PHASES, 'pending_delete', 'Before the event.'))
  previous_phase: NameChange['phase'] | null;
  @ApiProperty(oneOf(MOVES, 'dropped', 'The meaning of the change; null where status and phase did not change.'))
  move: NameChange['move'];
  @ApiProperty(oneOf(RECORD_KINDS, null, 'The part of the registration record that changed; null for other events.'))
  kind: NameChange['kind'];
  @ApiProperty({
    ...integer(30),
    description: 'Which reminder it is, in days before the expiry; null for other events.',
  })
  threshold_days: number | null;
  @ApiProperty({
    type: 'string',
    format: 'date',
    example: null,
    nullable: true,
    description: 'The day that the reminder is about, in UTC; null for other events.',
  })
  due_on: string | null;
  @ApiProperty({ example: 'nc_01jd6z0v8q3m4n5p6r7s8t9vwx' }) channel_id: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Shop team',
    description: 'The account’s present name for the channel.',
  })
  channel_label: string | null;
  @ApiProperty({ enum: DELIVERY_STATES, example: 'delivered' }) state: string;
  @ApiProperty({ ...INSTANT, nullable: true, example: null }) next_attempt_at: string | null;
  @ApiProperty(INSTANT) created_at: string;
  @ApiProperty({ type: [AttemptView], maxItems: 50, description: 'The last 50, oldest first.' })
  attempts: AttemptView[];
}

export class DeliveriesView {
  @ApiProperty({ type: [DeliveryView] }) data: DeliveryView[];
  @ApiProperty({ type: PageMeta }) meta: PageMeta;
}

export class ReplayBody {
  @InstantField({ description: 'The start of the range.' })
  from: string;

  @InstantField({ description: 'The end of the range, included; at most 14 days later.' })
  to: string;
}

export class ReplayView {
  @ApiProperty({ type: 'integer', example: 12, description: 'At most 10 000; a larger range is rejected.' })
  count: number;
}

const Count = (example: number, description: string) => ApiProperty({ type: 'integer', example, description });

class DeliveryDayView {
  @ApiProperty({ format: 'date', example: '2026-12-01', description: 'In UTC.' }) day: string;
  @Count(12, 'Deliveries of this day that have arrived.') delivered: number;
  @Count(1, 'Those that were given up.') failed: number;
  @Count(0, 'Those that wait, are held or were cancelled.') other: number;
}

export class DeliveryDaysView {
  @ApiProperty({ type: [DeliveryDayView], minItems: DAYS, maxItems: DAYS, description: 'Today is the last one.' })
  data: DeliveryDayView[];
}

export const DAYS_EXAMPLES = {
  month: {
    summary: 'A month of a channel that failed once',
    value: {
      data: Array.from({ length: DAYS }, (_, n) => ({
        day: `2026-11-${String(n + 1).padStart(2, '0')}`,
        delivered: n % 5,
        failed: n === 12 ? 1 : 0,
        other: 0,
      })),
    } satisfies DeliveryDaysView,
  },
};

export function deliveryView(row: DeliveryRow): DeliveryView {
  return {
    id: row.id,
    event_id: row.eventId,
    event_type: row.eventType,
    ...(row.change ?? NO_CHANGE),
    channel_id: row.channelId,
    channel_label: row.channelLabel,
    state: row.state,
    next_attempt_at: row.nextAttemptAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
    attempts: row.attempts.map(attemptView),
  };
}

function attemptView(attempt: AttemptRow): AttemptView {
  return {
    number: attempt.number,
    started_at: attempt.startedAt.toISOString(),
    duration_ms: attempt.durationMs,
    outcome: attempt.outcome,
    response_status: attempt.responseStatus,
    response_excerpt: attempt.responseExcerpt,
  };
}
