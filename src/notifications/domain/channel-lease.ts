/** A worker's time-limited right (lease) to send to a channel. Each lease has its own token. */
export interface ChannelLease {
  readonly channelId: string;
  readonly token: string;
}

/** The most requests at a time to one channel whose receiver is a program. */
export const EVENTS_IN_FLIGHT = 4;
/** The most events in one message to people. The next message has the rest. */
export const MOST_EVENTS_IN_MESSAGE = 10_000;
/** The most events that a message to people lists. The message gives only the number of the other events. */
export const MOST_NAMED_IN_MESSAGE = 200;
