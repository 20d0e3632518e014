import { computeEtagVersion } from '../../../platform/http/hooks/conditional-requests.js';
import type { ChannelDetails } from '../../application/ports/channel-reader.js';

/** The settings of the account. A header that is set again counts as changed, since its seal differs. */
export function channelEtagVersion({
  active,
  eventTypes,
  tags,
  headers,
}: Pick<ChannelDetails, 'active' | 'eventTypes' | 'tags' | 'headers'>): string {
  return computeEtagVersion([active, eventTypes, tags, Object.entries(headers).sort()]);
}
