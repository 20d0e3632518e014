import type { ChannelRow, EventRow, Evidence, Finding, Invariant } from '../evidence.js';

export const everyChannelHears: Invariant = {
  name: 'I3',
  says: 'every event has one delivery for each channel that wants it, and no other',
  judge({ events, channels, deliveries, standing }: Evidence): Finding {
    const made = Map.groupBy(deliveries, ({ eventId, channelId }) => `${eventId} ${channelId}`);
    const wanted = events.flatMap((event) =>
      channels
        .filter((channel) => standing.has(channel.id) && wants(channel, event))
        .map((channel) => `${event.id} ${channel.id}`),
    );
    const isWanted = new Set(wanted);
    const missing = wanted.filter((pair) => made.get(pair)?.length !== 1);
    const unwanted = [...made.keys()].filter((pair) => !isWanted.has(pair));
    return {
      about: `${events.length} events, ${wanted.length} deliveries`,
      violations: [
        ...missing.map((pair) => `${pair}: ${made.get(pair)?.length ?? 0} deliveries instead of one`),
        ...unwanted.map((pair) => `${pair}: a delivery that nobody asked for`),
      ],
    };
  },
};

function wants({ accountId, tags, eventTypes }: ChannelRow, { data, ...event }: EventRow): boolean {
  const isTheirs = tags.length === 0 || tags.some((tag) => data.tags?.includes(tag));
  return accountId === event.accountId && isTheirs && (eventTypes.length === 0 || eventTypes.includes(event.type));
}
