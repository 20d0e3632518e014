import type { ChannelDetails } from '../../../../clients/typescript/src/index.js';
import { ShortText } from '../../components/text.js';
import { eventTypeLabel } from './event-types.js';

/** Which events a channel takes, in a line. */
export function ChannelFilters({ channel: { event_types: types, tags } }: { channel: ChannelDetails }) {
  return (
    <p class="muted channel-filters">
      {types.length === 0 ? 'All events' : types.map(eventTypeLabel).join(', ')}
      {tags.length > 0 && (
        <>
          {' of names with the tag '}
          {tags.map((tag) => (
            <span key={tag} class="tag">
              <ShortText value={tag} max={30} />
            </span>
          ))}
        </>
      )}
    </p>
  );
}
