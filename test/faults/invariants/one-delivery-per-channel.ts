import type { ChannelRow, EventRow, FinalState, InvariantResult, Invariant } from '../results/final-state.js';

export const oneDeliveryPerChannel: Invariant = {
  name: 'I3',
  description: 'every event has one delivery for each channel whose filters accept it, and no other',
  check({ events, channels, deliveries, channelLabels: standing }: FinalState): InvariantResult {
    const made = Map.groupBy(deliveries, ({ eventId, channelId }) => `${eventId} ${channelId}`);
    const expected = events.flatMap((event) =>
      channels
        .filter((channel) => standing.has(channel.id) && matches(channel, event))
        .map((channel) => `${event.id} ${channel.id}`),
    );
    const isExpected = new Set(expected);
    const missing = expected.filter((pair) => made.get(pair)?.length !== 1);
    const surplus = [...made.keys()].filter((pair) => !isExpected.has(pair));
    return {
      summary: `${events.length} events, ${expected.length} deliveries`,
      violations: [
        ...missing.map((pair) => `${pair}: ${made.get(pair)?.length ?? 0} deliveries instead of one`),
        ...surplus.map((pair) => `${pair}: a delivery that no filter accepts`),
      ],
    };
  },
};

function matches({ accountId, tags, eventTypes }: ChannelRow, { data, ...event }: EventRow): boolean {
  const acceptsTags = tags.length === 0 || tags.some((tag) => data.tags?.includes(tag));
  const acceptsType = eventTypes.length === 0 ? isSentByDefault(event.type, data) : eventTypes.includes(event.type);
  return accountId === event.accountId && acceptsTags && acceptsType;
}

/** Changes beside the status, which move nothing, are sent to owners, unless a channel names the type. */
function isSentByDefault(type: string, { purpose, part_of_move: isPartOfMove }: EventRow['data']): boolean {
  return type !== 'watchlist.record_changed' || (purpose === 'own' && !isPartOfMove);
}
