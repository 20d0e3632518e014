import type { Type } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import type { EventType } from '../domain/event-type.js';
import {
  StatusChangeData,
  ChannelDisabledData,
  ExpiringData,
  CheckFailureData,
  ChannelTestData,
  DriftChangeData,
  RecordChangeData,
  SummaryEventData,
} from './event-data.js';

/** The fields that all events have in common. */
class AnyEvent {
  @ApiProperty({
    description: 'Begins with `evt_`. The same on every channel, attempt and replay: act on each id once.',
  })
  id: string;
  @ApiProperty({ type: 'string', format: 'date-time', description: 'When it was recorded, not when it was sent.' })
  timestamp: string;
}

/** Creates the schema of one type of event, with this name in the API document. */
function eventSchema(name: string, type: EventType, data: Type): Type<AnyEvent> {
  class TypedEvent extends AnyEvent {
    @ApiProperty({ type: 'string', enum: [type] }) type: EventType;
    @ApiProperty({ type: data }) data: object;
  }
  Object.defineProperty(TypedEvent, 'name', { value: name });
  return TypedEvent;
}

interface DescribedEvent {
  readonly schema: Type<AnyEvent>;
  readonly summary: string;
  readonly description: string;
}

export const EVENTS: Readonly<Record<EventType, DescribedEvent>> = {
  'watchlist.available': {
    schema: eventSchema('AvailableEvent', 'watchlist.available', StatusChangeData),
    summary: 'A name is available',
    description:
      'The registry has no record of the name, and a second lookup confirmed this. `move: dropped`: the name became available. ' +
      '`move: discovered`: this is the first answer about the name, and nobody saw it change.',
  },
  'watchlist.status_changed': {
    schema: eventSchema('StatusChangedEvent', 'watchlist.status_changed', StatusChangeData),
    summary: 'The status of a name changed',
    description:
      'Every change of status, new registrations included, except the one to `available`. As a filter it includes `watchlist.available`.',
  },
  'watchlist.phase_changed': {
    schema: eventSchema('PhaseChangedEvent', 'watchlist.phase_changed', StatusChangeData),
    summary: 'The phase of a name changed',
    description: 'The status stays the same: from redemption to pending delete, for example.',
  },
  'watchlist.expiring': {
    schema: eventSchema('ExpiringEvent', 'watchlist.expiring', ExpiringData),
    summary: 'A name expires soon',
    description:
      'A reminder 60, 30, 14, 7, 3 and 1 days before the expiry, or on the `remind_days` of the entry. A reminder that meets a ' +
      'change is the `threshold_days` of that event. Names that you want to buy have none by default.',
  },
  'watchlist.check_failing': {
    schema: eventSchema('CheckFailingEvent', 'watchlist.check_failing', CheckFailureData),
    summary: 'Checks of a name keep failing',
    description: 'Sent once. The status stays as it was: an error never changes it.',
  },
  'watchlist.check_recovered': {
    schema: eventSchema('CheckRecoveredEvent', 'watchlist.check_recovered', CheckFailureData),
    summary: 'Checks of a name work again',
    description: 'Ends a `watchlist.check_failing`; `code` and `since` describe the failures that ended.',
  },
  'watchlist.record_changed': {
    schema: eventSchema('RecordChangedEvent', 'watchlist.record_changed', RecordChangeData),
    summary: 'The registration record of a name changed',
    description:
      'Other name servers, registrar, EPP statuses or DS records, or a transfer: one event for each, after two checks that agree. ' +
      'Name servers and DS also need the parent zone. The status stays as it is. Channels without `event_types` get it for ' +
      'your own names (`purpose: own`); others name the type, or `watchlist.*`.',
  },
  'watchlist.drift_changed': {
    schema: eventSchema('DriftChangedEvent', 'watchlist.drift_changed', DriftChangeData),
    summary: 'A record stopped or began to match',
    description:
      'For entries with `expected` values, together with the `watchlist.record_changed` that made the difference. `drift` names ' +
      'the members that differ now. Differences from before you added or resumed the name, or set `expected`, are not sent.',
  },
  'watchlist.summary': {
    schema: eventSchema('SummaryEvent', 'watchlist.summary', SummaryEventData),
    summary: 'A report about the watchlist',
    description: 'Sent at its times to one channel with a `summary`.',
  },
  'channel.disabled': {
    schema: eventSchema('ChannelDisabledEvent', 'channel.disabled', ChannelDisabledData),
    summary: 'A channel was disabled',
    description: 'Sent to the other channels of the account. Nothing goes to a disabled channel until it is enabled.',
  },
  'channel.test': {
    schema: eventSchema('ChannelTestEvent', 'channel.test', ChannelTestData),
    summary: 'A test of one channel',
    description: 'Sent once, to one channel, by `POST /v1/notifications/{id}/test`.',
  },
};

const SCHEMAS = Object.entries(EVENTS).map(([type, { schema }]) => [type, schema] as const);

export const EventSchemas = (): ClassDecorator & MethodDecorator =>
  ApiExtraModels(...SCHEMAS.map(([, schema]) => schema));

export const eventUnion = () => ({
  description: 'Distinguished by `type`. New types may be added: ignore those that you do not know.',
  oneOf: SCHEMAS.map(([, schema]) => ({ $ref: getSchemaPath(schema) })),
  discriminator: {
    propertyName: 'type',
    mapping: Object.fromEntries(SCHEMAS.map(([type, schema]) => [type, getSchemaPath(schema)])),
  },
});
