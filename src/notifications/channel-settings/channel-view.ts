import { ApiProperty } from '@nestjs/swagger';
import { FORMAT_NAMES } from '../domain/formats/chat-formats.js';
import { EVENT_FILTERS } from '../domain/event-type.js';
import type { ChannelDetails } from '../channels/channel-reader.repository.js';
import { ChannelView } from './channels.dto.js';
import { computeEtagVersion } from '../../platform/http/hooks/conditional-requests.js';

const STRINGS = { type: 'array', items: { type: 'string' } } as const;
const INSTANT = { type: 'string', format: 'date-time' } as const;

export class ChannelDetailsView extends ChannelView {
  @ApiProperty({
    ...{ type: 'string', nullable: true, enum: [...FORMAT_NAMES, null], example: null },
    description: 'The product that a webhook writes for. null: signed events.',
  })
  format: string | null;
  @ApiProperty({ type: 'array', items: { type: 'string', enum: [...EVENT_FILTERS] }, description: 'Empty: all.' })
  event_types: string[];
  @ApiProperty({ ...STRINGS, description: 'Empty: all.' }) tags: string[];
  @ApiProperty({ ...STRINGS, description: 'The names of additional headers; values are never shown.' })
  headers: string[];
  @ApiProperty({
    ...{ type: 'string', nullable: true, example: null },
    description:
      'Why it is inactive: `gone` (its receiver answered 410), `failing` (nothing but failures for 5 days), ' +
      '`unsubscribed` (by its recipient), `unconfirmed` (its address has yet to confirm), ' +
      '`mail_not_configured` (the service has no mail relay) or `switched_off`.',
  })
  reason: string | null;
  @ApiProperty({ ...INSTANT, nullable: true, example: null }) disabled_at: string | null;
  @ApiProperty({ ...INSTANT, example: '2026-11-21T02:00:00.000Z' }) created_at: string;
}

export function detailsView(channel: ChannelDetails): ChannelDetailsView {
  const { id, type, format, target, active, reason } = channel;
  return {
    ...{ id, type, format, target, active },
    event_types: [...channel.eventTypes],
    tags: [...channel.tags],
    headers: Object.keys(channel.headers).sort(),
    reason,
    disabled_at: channel.disabledAt?.toISOString() ?? null,
    created_at: channel.createdAt.toISOString(),
  };
}

export const DETAILS_EXAMPLES = {
  webhook: {
    summary: 'A webhook for one tag',
    value: {
      id: 'nc_01jd6z0v8q3m4n5p6r7s8t9vwx',
      type: 'webhook',
      format: null,
      target: 'https://hooks.example.test/namewatch',
      active: true,
      event_types: ['watchlist.status_changed'],
      tags: ['brand'],
      headers: ['x-team'],
      reason: null,
      disabled_at: null,
      created_at: '2026-11-21T02:00:00.000Z',
    } satisfies ChannelDetailsView,
  },
  slack: {
    summary: 'A webhook that writes to Slack; its URL is a secret',
    value: {
      id: 'nc_01jd6z0v8q3m4n5p6r7s8t9vwy',
      type: 'webhook',
      format: 'slack',
      target: 'https://slack.example.test/…',
      active: true,
      event_types: [],
      tags: [],
      headers: [],
      reason: null,
      disabled_at: null,
      created_at: '2026-11-21T02:00:00.000Z',
    } satisfies ChannelDetailsView,
  },
};

export const CHANGE_EXAMPLES = {
  types: { summary: 'Only names that become available', value: { event_types: ['watchlist.available'] } },
  on: { summary: 'Enable', value: { active: true } },
  headers: { summary: 'Change one header, remove another', value: { headers: { 'x-token': 't0ken', 'x-team': null } } },
};

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
