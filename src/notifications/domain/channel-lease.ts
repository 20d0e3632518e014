/** The right to send to a channel, until the lease ends; the next holder of the lease has another token. */
export interface ChannelLease {
  readonly channelId: string;
  readonly token: string;
}

/** Events that a program gets at a time, each by itself. */
export const EVENTS_IN_FLIGHT = 4;
/** Events in one message to people; more come with the next. */
export const MOST_EVENTS_IN_MESSAGE = 10_000;
/** A message names so many and counts the others. */
export const MOST_NAMED_IN_MESSAGE = 200;
