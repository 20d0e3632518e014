import { computeEtagVersion } from '../../../platform/http/hooks/conditional-requests.js';
import type { ChannelDetails } from '../../application/ports/channel-reader.js';

/** What its account chose. Sealed anew, a header is another one, whether its value is or not. */
export function channelEtagVersion({
  active,
  eventTypes,
  tags,
  headers,
}: Pick<ChannelDetails, 'active' | 'eventTypes' | 'tags' | 'headers'>): string {
  return computeEtagVersion([active, eventTypes, tags, Object.entries(headers).sort()]);
}
