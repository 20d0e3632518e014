import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsObject, IsOptional } from 'class-validator';
import { computeEtagVersion } from '../../platform/http/hooks/conditional-requests.js';
import {
  BooleanField,
  ChoiceField,
  ChoiceListField,
  IntegerField,
  Optional,
  SINGLE_LINE_PATTERN,
  TextField,
  TextListField,
} from '../../platform/http/validation/fields.js';
import type { ChannelDetails } from '../channels/channel-reader.repository.js';
import { EVENT_FILTERS } from '../domain/event-type.js';
import { CHAT_FORMATS, FORMAT_NAMES } from '../domain/formats/chat-formats.js';

export const CHANNEL_TYPES = ['email', 'webhook'];
export const EXAMPLE_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';

const eventTypes = {
  description: 'Only events of these types. `watchlist.status_changed` includes `watchlist.available`. Empty: all.',
  items: { enum: EVENT_FILTERS },
  example: ['watchlist.status_changed'],
  maxItems: 20,
  optional: true,
} as const;
/** The limits of an entry's tags. */
const tags = {
  description: 'Only events of entries with one of these tags. Empty: all.',
  items: { minLength: 1, maxLength: 50, pattern: SINGLE_LINE_PATTERN },
  example: ['brand'],
  maxItems: 20,
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
const aboutHeaders = 'Webhooks only: at most 10 additional headers, a token for example. Values are never shown again.';
const headers = (type: string | string[]) =>
  ({ type: 'object', additionalProperties: { type }, example: { 'x-team': 'domains' } }) as never;

class ChannelSettings {
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
}

export class OpenChannelBody extends ChannelSettings {
  // Extensions add types: the application knows which there are.
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

/** A merge patch(RFC 7396): what is left out stays, null resets. A target never changes. */
export class ChangeChannelBody {
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

export class ChannelView {
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

export class OpenedChannelView extends ChannelView {
  @ApiProperty({ required: false, enum: [...FORMAT_NAMES], description: 'As it was asked for.' })
  format?: string;
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

export class ChannelsView {
  @ApiProperty({ type: [ChannelView] }) data: ChannelView[];
}

const STRINGS = { type: 'array', items: { type: 'string' } } as const;
const INSTANT = { type: 'string', format: 'date-time' } as const;

export class ChannelDetailsView extends ChannelView {
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
      'Why it is inactive: `gone` (its receiver wants no more), `failing` (nothing but failures for 5 days), ' +
      '`unsubscribed` (by its recipient), `unconfirmed` (its address has yet to confirm), ' +
      '`mail_not_configured` (the service has no mail relay) or `switched_off`.',
  })
  reason: string | null;
  @ApiProperty({
    type: 'string',
    nullable: true,
    example: null,
    description: 'What its receiver said, if it is `gone`: `410 Gone`, or why no more can be sent there.',
  })
  reason_detail: string | null;
  @ApiProperty({ ...INSTANT, nullable: true, example: null }) disabled_at: string | null;
  @ApiProperty({ ...INSTANT, example: '2026-11-21T02:00:00.000Z' }) created_at: string;
}

export function detailsView(channel: ChannelDetails): ChannelDetailsView {
  const { id, type, format, target, active, reason, reasonDetail } = channel;
  return {
    id,
    type,
    format,
    target,
    active,
    event_types: [...channel.eventTypes],
    tags: [...channel.tags],
    headers: Object.keys(channel.headers).sort(),
    reason,
    reason_detail: reasonDetail,
    disabled_at: channel.disabledAt?.toISOString() ?? null,
    created_at: channel.createdAt.toISOString(),
  };
}

/** The settings of the account. A header or credential that is set again counts as changed, since its seal differs. */
export function channelEtagVersion({
  active,
  eventTypes,
  tags,
  headers,
  sealedCredential,
}: Pick<ChannelDetails, 'active' | 'eventTypes' | 'tags' | 'headers' | 'sealedCredential'>): string {
  const credential = sealedCredential === null ? [] : [sealedCredential];
  return computeEtagVersion([active, eventTypes, tags, Object.entries(headers).sort(), ...credential]);
}

const ID = 'nc_01jd6z0v8q3m4n5p6r7s8t9vwx';
const WEBHOOK = { type: 'webhook', target: 'https://hooks.example.test/namewatch' };
const EMAIL = { type: 'email', target: 'you@example.test' };

export const OPEN_EXAMPLES = {
  webhook: { summary: 'Signed requests to an HTTPS URL', value: WEBHOOK },
  email: { summary: 'Mail to an address', value: EMAIL },
  choosy: {
    summary: 'Only drops of names with a tag, with an additional header',
    value: {
      type: 'webhook',
      target: 'https://hooks.example.test/drops',
      event_types: ['watchlist.available'],
      tags: ['brand'],
      headers: { 'x-token': 't0ken' },
    },
  },
  ...Object.fromEntries(
    CHAT_FORMATS.map(({ name, example: { target, about } }) => [
      name,
      { summary: about, value: { type: 'webhook', format: name, target } },
    ]),
  ),
};

export const OPENED_EXAMPLES = {
  webhook: {
    summary: 'A webhook, with its secret',
    value: { id: ID, ...WEBHOOK, active: true, secret: EXAMPLE_SECRET } satisfies OpenedChannelView,
  },
  email: {
    summary: 'An email channel, inactive until its address confirms',
    value: { id: ID, ...EMAIL, active: false } satisfies OpenedChannelView,
  },
  slack: {
    summary: 'A webhook that writes to Slack, with its URL masked',
    value: {
      id: ID,
      type: 'webhook',
      format: 'slack',
      active: true,
      target: 'https://slack.example.test/…',
    } satisfies OpenedChannelView,
  },
};

export const LIST_EXAMPLES = {
  one: { summary: 'One channel', value: { data: [{ id: ID, ...WEBHOOK, active: true }] } satisfies ChannelsView },
};

const DETAILS: ChannelDetailsView = {
  id: ID,
  type: 'webhook',
  format: null,
  target: WEBHOOK.target,
  active: true,
  event_types: ['watchlist.status_changed'],
  tags: ['brand'],
  headers: ['x-team'],
  reason: null,
  reason_detail: null,
  disabled_at: null,
  created_at: '2026-11-21T02:00:00.000Z',
};
const SLACK_DETAILS: ChannelDetailsView = {
  ...DETAILS,
  id: 'nc_01jd6z0v8q3m4n5p6r7s8t9vwy',
  format: 'slack',
  target: 'https://slack.example.test/…',
  event_types: [],
  tags: [],
  headers: [],
};
export const DETAILS_EXAMPLES = {
  webhook: { summary: 'A webhook for one tag', value: DETAILS },
  slack: { summary: 'A webhook that writes to Slack; its URL is a secret', value: SLACK_DETAILS },
};

export const CHANGE_EXAMPLES = {
  types: { summary: 'Only names that become available', value: { event_types: ['watchlist.available'] } },
  on: { summary: 'Enable', value: { active: true } },
  headers: { summary: 'Change one header, remove another', value: { headers: { 'x-token': 't0ken', 'x-team': null } } },
};

export const SECRET_EXAMPLES = { new: { summary: 'The new secret', value: { secret: EXAMPLE_SECRET } } };
export const ROTATE_EXAMPLES = {
  hour: { summary: 'Older secrets sign for another hour', value: { grace_seconds: 3_600 } },
  at_once: { summary: 'End a leaked secret at once', value: { grace_seconds: 0 } },
};
