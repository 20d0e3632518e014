import { computeEtagVersion } from '../../platform/http/hooks/conditional-requests.js';
import type { ChannelDetails } from './channel-reader.js';

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
