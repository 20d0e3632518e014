import type { EventText } from './event-text.js';

/** The `data` of `channel.test` and `channel.disabled`. */
export interface ChannelEventData {
  readonly channel_id: string;
  readonly message?: string;
  readonly type?: string;
  readonly reason?: string;
}

const REASON: Readonly<Record<string, string>> = {
  gone: 'Its receiver answered 410 Gone.',
  failing: 'Its receiver accepted nothing for five days.',
  unsubscribed: 'Its recipient unsubscribed.',
};

/** A `channel.*` event as text. */
export function toChannelEventText({ channel_id, message, type, reason = '' }: ChannelEventData): EventText {
  const channel = { label: 'Channel', value: channel_id };
  if (message !== undefined) return { headline: 'Test of a notification channel', advice: [message], facts: [channel] };
  return {
    headline: `A channel of type ${type ?? 'unknown'} was disabled`,
    advice: [REASON[reason] ?? reason, 'It gets no events until you enable it again; then replay what it missed.'],
    facts: [channel],
  };
}
