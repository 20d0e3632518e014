import type { FeedItem } from './event-feed.js';

/** The head of each stream: readers reconnect after 3 s. */
export const STREAM_HEAD = 'retry: 3000\n\n';

/** The body is JSON on one line, as `data` requires. */
export function eventFrame(id: string, { type, body }: Omit<FeedItem, 'cursor'>): string {
  return `id: ${id}\nevent: ${type}\ndata: ${body}\n\n`;
}

/** No new event; a reader that reconnects continues from here. */
export function pingFrame(id: string): string {
  return `: ping\nid: ${id}\n\n`;
}
