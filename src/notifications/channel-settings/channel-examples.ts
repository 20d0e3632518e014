import { CHAT_FORMATS } from '../domain/formats/chat-formats.js';
import { type ChannelDetailsView, type ChannelsView, EXAMPLE_SECRET, type OpenedChannelView } from './channels.dto.js';

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
      label: 'Shop team',
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
  label: 'Shop team',
  format: null,
  target: WEBHOOK.target,
  active: true,
  event_types: ['watchlist.status_changed'],
  tags: ['brand'],
  headers: ['x-team'],
  reason: null,
  reason_detail: null,
  disabled_at: null,
  waiting: null,
  summary: null,
  next_summary_at: null,
  created_at: '2026-11-21T02:00:00.000Z',
};
const SLACK_DETAILS: ChannelDetailsView = {
  ...DETAILS,
  id: 'nc_01jd6z0v8q3m4n5p6r7s8t9vwy',
  label: null,
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
  summary: {
    summary: 'A summary on Monday mornings',
    value: { summary: { every: 'week', on: 1, at: '08:00', zone: 'Europe/Berlin' } },
  },
  label: { summary: 'Call it something else', value: { label: 'Brand team' } },
  headers: { summary: 'Change one header, remove another', value: { headers: { 'x-token': 't0ken', 'x-team': null } } },
};

export const SECRET_EXAMPLES = { new: { summary: 'The new secret', value: { secret: EXAMPLE_SECRET } } };
export const ROTATE_EXAMPLES = {
  hour: { summary: 'Older secrets sign for another hour', value: { grace_seconds: 3_600 } },
  at_once: { summary: 'End a leaked secret at once', value: { grace_seconds: 0 } },
};
