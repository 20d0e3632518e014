import type { Delivery, Events } from '#client';
import { Command } from 'commander';
import type { EventSourceMessage } from 'eventsource-parser';
import { setTimeout as pause } from 'node:timers/promises';
import { type ApiOptions, type Connection, apiCommand, callApi, RetryableError, requestJson } from '../api-client.js';
import { parseWholeNumber, print } from '../terminal.js';
import { EXIT } from '../exit-codes.js';

interface Options extends ApiOptions {
  readonly after?: string;
  readonly type?: string;
  readonly count: number;
}
export interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: Happening & { readonly domain?: string };
}

export function events(): Command {
  const tail = apiCommand('tail')
    .description('follow the events as they happen, over broken connections too; Ctrl-C ends it')
    .option('--after <cursor>', 'begin behind this event, whose cursor --json shows; else from now on')
    .option('--type <type>', 'only events of this type, such as watchlist.available')
    .option('--count <number>', 'end after so many', parseWholeNumber(), Infinity)
    .action(follow);
  return new Command('events').addCommand(tail);
}

async function follow({ json, after, type, count: maxCount, ...connection }: Options): Promise<void> {
  let left = maxCount;
  for await (const { cursor, body } of followEvents(connection, { after, type })) {
    const event = JSON.parse(body) as ReceivedEvent;
    print(json, { cursor, ...event }, [formatEvent(event)]);
    if ((left -= 1) === 0) return;
  }
}

export function formatEvent({ type, timestamp, data }: ReceivedEvent): string {
  const about = data.domain;
  const parts = about === undefined ? [] : [about, toHappening(data)];
  return [timestamp, type, ...parts].filter((part) => part !== null).join('  ');
}

/** The change that an event and its deliveries report. Fields that do not apply are null or missing. */
type Happening = Partial<
  Pick<
    Delivery,
    'status' | 'previous_status' | 'phase' | 'previous_phase' | 'move' | 'kind' | 'threshold_days' | 'due_on'
  >
> & {
  readonly drift?: readonly string[];
  readonly expires_at?: string | null;
  readonly renewal?: { readonly on: string };
};

/** Describes a change or a reminder in a few words. Returns null for other events, such as failing checks. */
export function toHappening(happening: Happening): string | null {
  const { status, previous_status: before, phase, previous_phase: beforePhase } = happening;
  const { move, kind, threshold_days: days } = happening;
  if (kind) return spaced(`${kind} changed`);
  if (happening.drift) return toDrift(happening.drift);
  // Before the first answer, the status is only a placeholder. If the answer has the same status, the phase says more.
  if (move === 'discovered') return spaced(`first answer: ${(status === before ? phase : status) ?? ''}`);
  if (status !== before) return spaced(`${before ?? ''} -> ${status ?? ''}`);
  if (phase !== beforePhase) return spaced(`${beforePhase ?? ''} -> ${phase ?? ''}`);
  if (days === null || days === undefined) return null;
  return `reminder for ${toDueDay(happening) ?? 'the expiry'}`;
}

function toDrift(drift: readonly string[]): string {
  return drift.length === 0 ? 'as expected again' : spaced(`not as expected: ${drift.join(', ')}`);
}

/** Returns the day that a reminder is about, for a delivery or an event. */
function toDueDay({ due_on: dueOn, renewal, expires_at: expiresAt }: Happening): string | null {
  return dueOn ?? renewal?.on ?? expiresAt?.slice(0, 10) ?? null;
}

function spaced(text: string): string {
  return text.replaceAll('_', ' ');
}

/** An event from the stream, and the position after it. The body is exactly the body that a webhook gets. */
interface StreamedEvent {
  readonly cursor: string;
  readonly body: string;
}

/** The state between two connections: the position to continue from, and the time to wait before connecting. */
interface StreamPosition {
  cursor: string;
  retryMs: number;
  /** Whether the service has ever accepted a connection. Before the first connection, every error ends the command. */
  hasConnected: boolean;
}

/** Milliseconds before a reconnect, unless the stream sets another time. */
const DEFAULT_RETRY_MS = 3_000;
const MAX_RETRY_MS = 300_000;
/** No entry has this id. A request for its events returns only the position (cursor) after the newest event. */
const UNUSED_ENTRY_ID = `wl_${'0'.repeat(26)}`;

/**
 * Yields events as they happen. A reconnect continues after the last event, so that no event is lost or comes twice.
 */
export async function* followEvents(
  connection: Connection,
  { after, type }: { after?: string | undefined; type?: string | undefined },
): AsyncGenerator<StreamedEvent> {
  const path = `/v1/events/stream${type === undefined ? '' : `?type=${encodeURIComponent(type)}`}`;
  const position: StreamPosition = {
    // a known position, so that no event is lost if the first connection breaks
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
      // Tries again while the service restarts. A revoked key or an outdated cursor stays refused, so the command ends.
      if (!position.hasConnected || !(error instanceof RetryableError)) throw error;
      await pause(Math.min(Math.max(position.retryMs, error.retryAfterMs), MAX_RETRY_MS));
    }
  }
}

async function latestCursor(connection: Connection): Promise<string> {
  const { meta } = await requestJson<Events>(`/v1/events?limit=1&entry_id=${UNUSED_ENTRY_ID}`, connection);
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
