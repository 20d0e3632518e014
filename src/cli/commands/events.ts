import { Command, InvalidArgumentError } from 'commander';
import type { Connection } from '../api/api-client.js';
import { apiCommand } from '../api/api-command.js';
import { print } from '../run-admin-command.js';
import { followEvents } from '../api/event-stream.js';
import { type Happening, toHappening } from '../api/happening.js';

interface Options extends Connection {
  readonly json?: boolean;
  readonly after?: string;
  readonly type?: string;
  readonly count: number;
}
export interface ReceivedEvent {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Happening & { readonly domain?: string; readonly domains?: readonly string[] };
}

export function events(): Command {
  const tail = apiCommand('tail')
    .description('follow the events as they happen, over broken connections too; Ctrl-C ends it')
    .option('--after <cursor>', 'begin behind this event, whose cursor --json shows; else from now on')
    .option('--type <type>', 'only events of this type, such as watchlist.available')
    .option('--count <number>', 'end after so many', parseCount, Infinity)
    .action(follow);
  return new Command('events').description('what happened to the names').addCommand(tail);
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
  const about = data.domain ?? data.domains?.join(', ');
  const parts = about === undefined ? [] : [about, toHappening(data)];
  return [timestamp, type, ...parts].filter((part) => part !== null).join('  ');
}

export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('not a whole number');
  return Number(text);
}
