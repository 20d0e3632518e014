import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsObject,
  IsOptional,
  IsString,
  Matches,
  MaxLength,
  MinLength,
} from 'class-validator';
import { SINGLE_LINE_PATTERN } from '../../platform/http/validation/text-patterns.js';
import { Optional } from '../../platform/http/validation/strict-validation.pipe.js';
import { EVENT_FILTERS } from '../domain/events/event-type.js';

/** The limits of an entry's tags; no control characters and no lone surrogates, which PostgreSQL rejects. */
const MAX_TAGS = 20;
const TAG = /^[^\p{Cc}\p{Cs}]{1,50}$/u;

const descriptions = {
  eventTypes: 'Only events of these types. `watchlist.status_changed` includes `watchlist.available`. Empty: all.',
  tags: 'Only events of entries with one of these tags. Empty: all.',
  credential:
    'Only for types of an extension that need one, such as an API token: their example says so. Sealed at rest and never ' +
    'shown again.',
  headers: 'Webhooks only: at most 10 additional headers, a token for example. Values are never shown again.',
};
const MAX_CREDENTIAL_LENGTH = 4_096;
const Credential = () =>
  applyDecorators(
    ApiPropertyOptional({
      type: 'string',
      description: descriptions.credential,
      minLength: 1,
      maxLength: MAX_CREDENTIAL_LENGTH,
    }),
    Optional(),
    IsString(),
    MinLength(1),
    MaxLength(MAX_CREDENTIAL_LENGTH),
  );
const EventTypes = () => applyDecorators(IsArray(), ArrayMaxSize(20), IsIn(EVENT_FILTERS, { each: true }));
const Tags = () => applyDecorators(IsArray(), ArrayMaxSize(MAX_TAGS), Matches(TAG, { each: true }));
const listSchema = (description: string, items: object, example: string[]) =>
  ({ description, type: 'array', items: { type: 'string', ...items }, example, maxItems: 20 }) as const;
const filters = { enum: [...EVENT_FILTERS] };
const labels = { minLength: 1, maxLength: 50, pattern: SINGLE_LINE_PATTERN };
const headers = (type: string | string[]) =>
  ({ type: 'object', additionalProperties: { type }, example: { 'x-team': 'domains' } }) as never;

export class ChannelSettings {
  @ApiPropertyOptional(listSchema(descriptions.eventTypes, filters, ['watchlist.status_changed']))
  @Optional()
  @EventTypes()
  event_types?: string[];

  @ApiPropertyOptional(listSchema(descriptions.tags, labels, ['brand']))
  @Optional()
  @Tags()
  tags?: string[];

  @ApiPropertyOptional({ description: descriptions.headers, ...(headers('string') as object) })
  @Optional()
  @IsObject()
  headers?: Record<string, unknown>;

  @Credential()
  credential?: string;
}

/** A merge patch (RFC 7396): what is left out stays, null resets. A target never changes. */
export class ChangeChannelBody {
  @ApiPropertyOptional({ ...listSchema(descriptions.eventTypes, filters, ['watchlist.available']), nullable: true })
  @IsOptional()
  @EventTypes()
  event_types?: string[] | null;

  @ApiPropertyOptional({ ...listSchema(descriptions.tags, labels, ['brand']), nullable: true })
  @IsOptional()
  @Tags()
  tags?: string[] | null;

  @ApiPropertyOptional({
    description: `${descriptions.headers} null takes one away, or all of them.`,
    nullable: true,
    ...(headers(['string', 'null']) as object),
  })
  @IsOptional()
  @IsObject()
  headers?: Record<string, unknown> | null;

  @Credential()
  credential?: string;

  @ApiPropertyOptional({
    type: 'boolean',
    description:
      'false: its pending deliveries are paused and can be replayed. true: it gets events from now on; an email address that has not confirmed, or has unsubscribed, must confirm first (409).',
    example: true,
  })
  @Optional()
  @IsBoolean()
  active?: boolean;
}
