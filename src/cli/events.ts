import { Command, InvalidArgumentError } from 'commander';
import type { EventSourceMessage } from 'eventsource-parser';
import { setTimeout as pause } from 'node:timers/promises';
import { ask, type Connection } from './api-client.js';
import { connected } from './connected.js';
import { CommandFailed, EXIT } from './exit-codes.js';

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

/** Milliseconds, as the stream itself advises. */
const BEFORE_THE_NEXT = 3_000;

export function events(): Command {
  const tail = connected('tail')
    .description('follow the events as they happen, over broken connections too; Ctrl-C ends it')
    .option('--after <cursor>', 'begin behind this event, whose cursor --json shows; else from now on')
    .option('--type <type>', 'only events of this type, such as watchlist.available')
    .option('--count <number>', 'end after so many', count, Infinity)
    .action(follow);
  return new Command('events').description('what happened to the names').addCommand(tail);
}

/** Whatever was told once is not told again: each connection goes on behind the last event of the one before. */
async function follow({ json, after, type, count: most, ...connection }: Options): Promise<void> {
  const path = `/v1/events/stream${type === undefined ? '' : `?type=${encodeURIComponent(type)}`}`;
  let cursor = after;
  let left = most;
  for (let isFirst = true; left > 0; isFirst = false) {
    if (!isFirst) await pause(BEFORE_THE_NEXT);
    try {
      for await (const { id, data } of messages(path, connection, cursor)) {
        cursor = id ?? cursor;
        console.log(
          json ? JSON.stringify({ cursor, ...(JSON.parse(data) as object) }) : sentence(JSON.parse(data) as Told),
        );
        if ((left -= 1) === 0) return;
      }
    } catch (error) {
      if (isFirst || !isPassing(error)) throw error;
    }
  }
}

async function* messages(
  path: string,
  connection: Connection,
  cursor: string | undefined,
): AsyncGenerator<EventSourceMessage> {
  const { EventSourceParserStream } = await import('eventsource-parser/stream');
  const headers: Record<string, string> = cursor === undefined ? {} : { 'last-event-id': cursor };
  const { body } = await ask(path, connection, { headers, patience: null });
  if (!body) return;
  yield* body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
}

/** A service that restarts comes back; a key that was revoked, or a cursor that is too old, does not. */
function isPassing(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof CommandFailed && error.exitCode === EXIT.unreachable);
}

function sentence({ type, timestamp, data: { domain, previous_status, status } }: Told): string {
  const change = domain === undefined ? '' : `  ${domain}  ${previous_status ?? ''} -> ${status ?? ''}`;
  return `${timestamp}  ${type}${change}`;
}

function count(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('not a whole number');
  return Number(text);
}
