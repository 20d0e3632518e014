import type { EventCursor } from '../../domain/events/event-cursor.js';
import type { FeedItem } from '../../application/ports/event-feed.js';

/** How a stream begins: after how many milliseconds a reader that lost it comes back. */
export const STREAM_HEAD = 'retry: 3000\n\n';

/** The bodies are JSON on one line, as `data` needs them. */
export function eventFrame({ cursor, type, body }: FeedItem): string {
  return `id: ${cursor.text}\nevent: ${type}\ndata: ${body}\n\n`;
}

/** Nothing new; a reader who comes back goes on from here. */
export function pingFrame(cursor: EventCursor): string {
  return `: ping\nid: ${cursor.text}\n\n`;
}
