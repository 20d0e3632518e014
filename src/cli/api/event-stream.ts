import type { EventSourceMessage } from 'eventsource-parser';
import { setTimeout as pause } from 'node:timers/promises';
import { callApi, type Connection, RetryableError, getJson } from './api-client.js';
import { EXIT } from '../exit-codes.js';

/** One event of the stream. */
export interface StreamedEvent {
  /** To go on behind it. */
  readonly cursor: string;
  /** The bytes that a webhook would bring. */
  readonly body: string;
}

export interface StreamOptions {
  /** Begin behind this event; from now on without it. */
  readonly after?: string | undefined;
  /** Only events of this type. */
  readonly type?: string | undefined;
}

/** Where the next connection goes on, and how long after this one. */
interface StreamPosition {
  cursor: string;
  retryMs: number;
  /** Whether the service ever agreed: what it refuses at first is refused for good. */
  hasConnected: boolean;
}

/** Milliseconds, unless the stream advises otherwise. */
const DEFAULT_RETRY_MS = 3_000;
const MAX_RETRY_MS = 300_000;
/** Matches no event: a page filtered by it is empty, and its cursor is that of the newest event. */
const UNUSED_ENTRY_ID = `wl_${'0'.repeat(26)}`;

/**
 * Events as they happen, over broken connections too. None comes twice: each connection goes on behind the last event
 * of the one before. A place to go on from is there before the first event is, so that a connection that breaks until
 * then loses nothing.
 */
export async function* followEvents(connection: Connection, following: StreamOptions): AsyncGenerator<StreamedEvent> {
  const { after, type } = following;
  const path = `/v1/events/stream${type === undefined ? '' : `?type=${encodeURIComponent(type)}`}`;
  const position: StreamPosition = {
    cursor: after ?? (await latestCursor(connection)),
    retryMs: DEFAULT_RETRY_MS,
    hasConnected: false,
  };
  for (;;) {
    try {
      for await (const { data } of streamMessages(path, connection, position))
        yield { cursor: position.cursor, body: data };
      await pause(position.retryMs);
    } catch (error) {
      // A service that restarts comes back; a key that was revoked, or a cursor that is too old, does not.
      if (!position.hasConnected || !(error instanceof RetryableError)) throw error;
      await pause(Math.min(Math.max(position.retryMs, error.retryAfterMs), MAX_RETRY_MS));
    }
  }
}

async function latestCursor(connection: Connection): Promise<string> {
  const { meta } = (await getJson(`/v1/events?limit=1&entry_id=${UNUSED_ENTRY_ID}`, connection)) as {
    meta: { next: string };
  };
  return meta.next;
}

async function* streamMessages(
  path: string,
  connection: Connection,
  position: StreamPosition,
): AsyncGenerator<EventSourceMessage> {
  const { EventSourceParserStream } = await import('eventsource-parser/stream');
  const { body } = await callApi(path, connection, { headers: { 'last-event-id': position.cursor }, timeoutMs: null });
  position.hasConnected = true;
  if (!body) return;
  const onRetry = (advice: number) => void (position.retryMs = advice);
  const parser = new EventSourceParserStream({ onRetry });
  try {
    for await (const message of body.pipeThrough(new TextDecoderStream()).pipeThrough(parser)) {
      position.cursor = message.id ?? position.cursor;
      yield message;
    }
  } catch (cause) {
    throw new RetryableError(EXIT.unreachable, `the stream broke: ${(cause as Error).message}`);
  }
}
