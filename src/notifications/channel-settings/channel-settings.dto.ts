import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsObject, IsOptional } from 'class-validator';
import {
  BooleanField,
  ChoiceListField,
  Optional,
  SINGLE_LINE_PATTERN,
  TextField,
  TextListField,
} from '../../platform/http/validation/fields.js';
import { EVENT_FILTERS } from '../domain/event-type.js';

const descriptions = {
  eventTypes: 'Only events of these types. `watchlist.status_changed` includes `watchlist.available`. Empty: all.',
  tags: 'Only events of entries with one of these tags. Empty: all.',
  credential:
    'Only for types of an extension that need one, such as an API token: their example says so. Sealed at rest and never ' +
    'shown again.',
  headers: 'Webhooks only: at most 10 additional headers, a token for example. Values are never shown again.',
};
const eventTypes = {
  description: descriptions.eventTypes,
  items: { enum: EVENT_FILTERS },
  example: ['watchlist.status_changed'],
  maxItems: 20,
  optional: true,
} as const;
/** The limits of an entry's tags. */
const tags = {
  description: descriptions.tags,
  items: { minLength: 1, maxLength: 50, pattern: SINGLE_LINE_PATTERN },
  example: ['brand'],
  maxItems: 20,
  optional: true,
} as const;
const credential = { description: descriptions.credential, minLength: 1, maxLength: 4_096, optional: true } as const;
const headers = (type: string | string[]) =>
  ({ type: 'object', additionalProperties: { type }, example: { 'x-team': 'domains' } }) as never;

export class ChannelSettings {
  @ChoiceListField(eventTypes)
  event_types?: string[];

  @TextListField(tags)
  tags?: string[];

  @ApiPropertyOptional({ description: descriptions.headers, ...(headers('string') as object) })
  @Optional()
  @IsObject()
  headers?: Record<string, unknown>;

  @TextField(credential)
  credential?: string;
}

/** A merge patch (RFC 7396): what is left out stays, null resets. A target never changes. */
export class ChangeChannelBody {
  @ChoiceListField({ ...eventTypes, example: ['watchlist.available'], nullable: true })
  event_types?: string[] | null;

  @TextListField({ ...tags, nullable: true })
  tags?: string[] | null;

  @ApiPropertyOptional({
    description: `${descriptions.headers} null takes one away, or all of them.`,
    nullable: true,
    ...(headers(['string', 'null']) as object),
  })
  @IsOptional()
  @IsObject()
  headers?: Record<string, unknown> | null;

  @TextField(credential)
  credential?: string;

  @BooleanField({
    description:
      'false: its pending deliveries are paused and can be replayed. true: it gets events from now on; an email address that has not confirmed, or has unsubscribed, must confirm first (409).',
    example: true,
    optional: true,
  })
  active?: boolean;
}
