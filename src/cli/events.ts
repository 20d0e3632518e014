import { Command, InvalidArgumentError } from 'commander';
import type { EventSourceMessage } from 'eventsource-parser';
import { setTimeout as pause } from 'node:timers/promises';
import { ask, type Connection, ForNow, get } from './api-client.js';
import { connected } from './connected.js';
import { EXIT } from './exit-codes.js';

interface Options extends Connection {
  readonly json?: boolean;
  readonly after?: string;
  readonly type?: string;
  readonly count: number;
}
interface Told {
  readonly type: string;
  readonly timestamp: string;
  readonly data: { readonly domain?: string; readonly previous_status?: string; readonly status?: string };
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

export function events(): Command {
  const tail = connected('tail')
    .description('follow the events as they happen, over broken connections too; Ctrl-C ends it')
    .option('--after <cursor>', 'begin behind this event, whose cursor --json shows; else from now on')
    .option('--type <type>', 'only events of this type, such as watchlist.available')
    .option('--count <number>', 'end after so many', count, Infinity)
    .action(follow);
  return new Command('events').description('what happened to the names').addCommand(tail);
}

/**
 * Whatever was told once is not told again: each connection goes on behind the last event of the one before. A place
 * to go on from is there before the first event is, so that a connection that breaks until then loses nothing.
 */
async function follow({ json, after, type, count: most, ...connection }: Options): Promise<void> {
  const path = `/v1/events/stream${type === undefined ? '' : `?type=${encodeURIComponent(type)}`}`;
  const place: Place = { cursor: after ?? (await newest(connection)), advice: BEFORE_THE_NEXT, hasBegun: false };
  for (let left = most; left > 0;) {
    try {
      for await (const { data } of messages(path, connection, place)) {
        const told = JSON.parse(data) as Told;
        console.log(json ? JSON.stringify({ cursor: place.cursor, ...told }) : sentence(told));
        if ((left -= 1) === 0) return;
      }
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

function sentence({ type, timestamp, data: { domain, previous_status, status } }: Told): string {
  const change = domain === undefined ? '' : `  ${domain}  ${previous_status ?? ''} -> ${status ?? ''}`;
  return `${timestamp}  ${type}${change}`;
}

function count(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('not a whole number');
  return Number(text);
}
