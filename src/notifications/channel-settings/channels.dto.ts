import { ApiProperty } from '@nestjs/swagger';
import { ChoiceField, TextField } from '../../platform/http/validation/fields.js';
import { CHAT_FORMATS, FORMAT_NAMES } from '../domain/formats/chat-formats.js';
import { ChannelSettings } from './channel-settings.dto.js';

const CHANNEL_TYPES = ['email', 'webhook'];
export const EXAMPLE_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';

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

export class ChannelsView {
  @ApiProperty({ type: [ChannelView] }) data: ChannelView[];
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
      ...{ type: 'webhook', target: 'https://hooks.example.test/drops' },
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
      ...{ id: ID, type: 'webhook', format: 'slack', active: true },
      target: 'https://slack.example.test/…',
    } satisfies OpenedChannelView,
  },
};

export const LIST_EXAMPLES = {
  one: { summary: 'One channel', value: { data: [{ id: ID, ...WEBHOOK, active: true }] } satisfies ChannelsView },
};
