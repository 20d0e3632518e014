/** The right to send to a channel, until the lease ends; the next holder of the lease has another token. */
export interface ChannelLease {
  readonly channelId: string;
  readonly token: string;
}

/** How many events a program gets at the same time, each in its own request. */
export const EVENTS_IN_FLIGHT = 4;
/** The most events in one message to people. The next message has the rest. */
export const MOST_EVENTS_IN_MESSAGE = 10_000;
/** The most events that a message names. It counts the others. */
export const MOST_NAMED_IN_MESSAGE = 200;
