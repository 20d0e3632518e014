import type { EventSourceMessage } from 'eventsource-parser';
import { setTimeout as pause } from 'node:timers/promises';
import { ask, type Connection, ForNow, get } from './api-client.js';
import { EXIT } from '../exit-codes.js';

/** One event of the stream. */
export interface StreamedEvent {
  /** To go on behind it. */
  readonly cursor: string;
  /** The bytes that a webhook would bring. */
  readonly body: string;
}

export interface Following {
  /** Begin behind this event; from now on without it. */
  readonly after?: string | undefined;
  /** Only events of this type. */
  readonly type?: string | undefined;
}

/** Where the next connection goes on, and how long after this one. */
interface Place {
  cursor: string;
  advice: number;
  /** Whether the service ever agreed: what it refuses at first is refused for good. */
  hasBegun: boolean;
}

/** Milliseconds, unless the stream advises otherwise. */
const BEFORE_THE_NEXT = 3_000;
const LONGEST_WAIT = 300_000;
/** Of nothing that can be told of: a page of what concerns it is empty, and ends where the events do. */
const NO_ENTRY = `wl_${'0'.repeat(26)}`;

/**
 * Events as they happen, over broken connections too. None comes twice: each connection goes on behind the last event
 * of the one before. A place to go on from is there before the first event is, so that a connection that breaks until
 * then loses nothing.
 */
export async function* followEvents(connection: Connection, following: Following): AsyncGenerator<StreamedEvent> {
  const { after, type } = following;
  const path = `/v1/events/stream${type === undefined ? '' : `?type=${encodeURIComponent(type)}`}`;
  const place: Place = { cursor: after ?? (await newest(connection)), advice: BEFORE_THE_NEXT, hasBegun: false };
  for (;;) {
    try {
      for await (const { data } of messages(path, connection, place)) yield { cursor: place.cursor, body: data };
      await pause(place.advice);
    } catch (error) {
      // A service that restarts comes back; a key that was revoked, or a cursor that is too old, does not.
      if (!place.hasBegun || !(error instanceof ForNow)) throw error;
      await pause(Math.min(Math.max(place.advice, error.wait), LONGEST_WAIT));
    }
  }
}

async function newest(connection: Connection): Promise<string> {
  const { meta } = (await get(`/v1/events?limit=1&entry_id=${NO_ENTRY}`, connection)) as { meta: { next: string } };
  return meta.next;
}

async function* messages(path: string, connection: Connection, place: Place): AsyncGenerator<EventSourceMessage> {
  const { EventSourceParserStream } = await import('eventsource-parser/stream');
  const { body } = await ask(path, connection, { headers: { 'last-event-id': place.cursor }, patience: null });
  place.hasBegun = true;
  if (!body) return;
  const onRetry = (advice: number) => void (place.advice = advice);
  const parser = new EventSourceParserStream({ onRetry });
  try {
    for await (const message of body.pipeThrough(new TextDecoderStream()).pipeThrough(parser)) {
      place.cursor = message.id ?? place.cursor;
      yield message;
    }
  } catch (cause) {
    throw new ForNow(EXIT.unreachable, `the stream broke: ${(cause as Error).message}`);
  }
}
