import type { ChannelDetails, Channels, Deliveries, Delivery, OpenedChannel, Replay, Secret } from '#client';
import { Command } from 'commander';
import { definitionList, parseDate, parseWholeNumber, pluralize, print, table } from '../terminal.js';
import {
  apiCommand,
  type ApiOptions,
  callApi,
  type Connection,
  requestJson,
  pageLines,
  type PageOptions,
} from '../api-client.js';
import { toHappening } from './events.js';

interface AddOptions extends ApiOptions {
  readonly type?: string;
  readonly format?: string;
  readonly label?: string;
  readonly eventType?: string[];
  readonly tag?: string[];
}

const CHANNEL_ARGUMENT = 'its id, nc_…';

export function channel(): Command {
  return new Command('channel')
    .addCommand(add())
    .addCommand(list())
    .addCommand(label())
    .addCommand(summary())
    .addCommand(test())
    .addCommand(filter())
    .addCommand(switchCommand('pause', 'send nothing to a channel, and keep it', false))
    .addCommand(switchCommand('resume', 'send to a channel again what happens from now on', true))
    .addCommand(deliveries())
    .addCommand(redeliver())
    .addCommand(replay())
    .addCommand(rotateSecret())
    .addCommand(remove());
}

function add(): Command {
  return apiCommand('add')
    .description('send events to a webhook or an email address')
    .argument('<target>', 'an https URL, an email address, or what the type of an extension needs')
    .option('--type <type>', 'email, webhook, or the type of an extension, when the target does not say it')
    .option('--format <format>', 'write for slack, discord, teams, google_chat, telegram, ntfy, pagerduty or apprise')
    .option('--label <label>', 'what you call it, unique among your channels')
    .option('--event-type <type...>', 'only events of these types, such as watchlist.available')
    .option('--tag <tag...>', 'only events of entries with one of these tags')
    .action(async (target: string, { json, type, format, label, eventType, tag, ...connection }: AddOptions) => {
      const body = { type: type ?? inferType(target), format, label, target, event_types: eventType, tags: tag };
      const added = await requestJson<OpenedChannel>('/v1/notifications', connection, { method: 'POST', json: body });
      print(json, added, toLines(added));
    });
}

function list(): Command {
  return apiCommand('list')
    .description('list the notification channels')
    .action(async ({ json, ...connection }: ApiOptions) => {
      const { data } = await requestJson<Channels>('/v1/notifications?expand=details', connection);
      const rows = data.map(({ id, type, target, active, details }) => [
        id,
        details?.format ?? type,
        details?.label ?? '-',
        active ? 'yes' : `no (${details?.reason ?? 'off'})`,
        toWaiting(details?.waiting),
        target,
      ]);
      const head = ['ID', 'TYPE', 'LABEL', 'ACTIVE', 'WAITING', 'TARGET'];
      print(json, { data }, rows.length > 0 ? table(head, rows) : ['no channels']);
    });
}

type Waiting = NonNullable<Channels['data'][number]['details']>['waiting'];

/**
 * Says how many events wait, such as `19`, or `19, next try 2026-11-21T02:05:00.000Z (http_error)` after a failed
 * attempt.
 */
function toWaiting(waiting: Waiting | undefined): string {
  if (!waiting) return '-';
  const { events, retried, next_attempt_at: next, outcome } = waiting;
  return retried === 0 ? String(events) : `${events}, next try ${next} (${outcome ?? 'failed'})`;
}

function label(): Command {
  return apiCommand('label')
    .description('call a channel something else')
    .argument('<channel>', CHANNEL_ARGUMENT)
    .argument('[label]', 'the label; without one it is taken away')
    .action(async (id: string, label: string | undefined, { json, ...connection }: ApiOptions) => {
      const changed = await change(id, { label: label ?? null }, connection);
      print(json, changed, [`${id} is called ${changed.label ?? 'nothing'} now.`]);
    });
}

interface SummaryOptions extends ApiOptions {
  readonly every: string;
  readonly on: number;
  readonly at: string;
  readonly zone: string;
  readonly empty?: boolean;
  readonly off?: boolean;
}

function summary(): Command {
  const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return apiCommand('summary')
    .description('send a channel a summary of your names every week or month')
    .argument('<channel>', CHANNEL_ARGUMENT)
    .option('--every <period>', 'week or month', 'week')
    .option('--on <day>', 'the day of the week, 1 for Monday, or of the month', parseWholeNumber(), 1)
    .option('--at <time>', 'the time of the day', '08:00')
    .option('--zone <zone>', 'the time zone, such as Europe/Berlin', ownZone)
    .option('--empty', 'send it also when there is nothing to say')
    .option('--off', 'send none')
    .action(async (id: string, { json, every, on, at, zone, empty, off, ...connection }: SummaryOptions) => {
      const summary = off === true ? null : { every, on, at, zone, send_empty: empty === true };
      const changed = await change(id, { summary }, connection);
      const next = changed.next_summary_at;
      print(json, changed, [next === null ? `${id} gets no summary.` : `${id} gets its next summary at ${next}.`]);
    });
}

function test(): Command {
  return apiCommand('test')
    .description('send a test event to a channel')
    .argument('<channel>', CHANNEL_ARGUMENT)
    .action(async (id: string, { json, ...connection }: ApiOptions) => {
      const delivery = await requestJson<Delivery>(`${channelPath(id)}/test`, connection, { method: 'POST' });
      print(json, delivery, [`A test event is on its way to ${id}: delivery ${delivery.id}, ${delivery.state}.`]);
    });
}

function deliveries(): Command {
  return apiCommand('deliveries')
    .description('list what was sent to a channel, newest first, with the name that it is about')
    .argument('<channel>', CHANNEL_ARGUMENT)
    .option('--page <number>', 'which page', parseWholeNumber(), 1)
    .action((id: string, options: PageOptions) => printDeliveries(`${channelPath(id)}/deliveries`, options));
}

function filter(): Command {
  return apiCommand('filter')
    .description('change which events a channel takes; without options all of them')
    .argument('<channel>', CHANNEL_ARGUMENT)
    .option('--event-type <type...>', 'only events of these types, such as watchlist.available')
    .option('--tag <tag...>', 'only events of entries with one of these tags')
    .action(async (id: string, { json, eventType = [], tag = [], ...connection }: AddOptions) => {
      const changed = await change(id, { event_types: eventType, tags: tag }, connection);
      const types = eventType.length > 0 ? eventType.join(', ') : 'all events';
      print(json, changed, [`${id} takes ${types}${tag.length > 0 ? ` of names tagged ${tag.join(' or ')}` : ''}.`]);
    });
}

function switchCommand(name: string, description: string, active: boolean): Command {
  return apiCommand(name)
    .description(description)
    .argument('<channel>', CHANNEL_ARGUMENT)
    .action(async (id: string, { json, ...connection }: ApiOptions) => {
      const changed = await change(id, { active }, connection);
      print(json, changed, [`${id} ${active ? 'gets events again' : 'gets no events'}.`]);
    });
}

function redeliver(): Command {
  return apiCommand('redeliver')
    .description('send an event to its channel once more')
    .argument('<delivery>', 'its id, as `channel deliveries --json` has it')
    .action(async (id: string, { json, ...connection }: ApiOptions) => {
      const path = `/v1/deliveries/${encodeURIComponent(id)}/redeliver`;
      const delivery = await requestJson<Delivery>(path, connection, { method: 'POST', json: {} });
      print(json, delivery, [`Its event is on its way again: delivery ${delivery.id}, ${delivery.state}.`]);
    });
}

interface ReplayOptions extends ApiOptions {
  readonly from: Date;
  readonly to: Date;
}

function replay(): Command {
  return apiCommand('replay')
    .description('send a channel again what happened in a span of at most 14 days')
    .argument('<channel>', CHANNEL_ARGUMENT)
    .requiredOption('--from <date>', 'such as 2027-01-31', parseDate)
    .requiredOption('--to <date>', 'its end', parseDate)
    .action(async (id: string, { json, from, to, ...connection }: ReplayOptions) => {
      const replayed = await requestJson<Replay>(`${channelPath(id)}/replay`, connection, {
        method: 'POST',
        json: { from, to },
      });
      print(json, replayed, [`${pluralize(replayed.count, 'event')} will be sent to ${id} again.`]);
    });
}

function rotateSecret(): Command {
  return apiCommand('rotate-secret')
    .description('give a webhook a new signing secret; it is shown once')
    .argument('<channel>', CHANNEL_ARGUMENT)
    .option('--grace <seconds>', 'how long older secrets sign too', parseWholeNumber(604_800, 0), 86_400)
    .action(async (id: string, { json, grace, ...connection }: ApiOptions & { readonly grace: number }) => {
      const request = { method: 'POST', json: { grace_seconds: grace } } as const;
      const rotated = await requestJson<Secret>(`${channelPath(id)}/rotate-secret`, connection, request);
      print(json, rotated, [`Secret ${rotated.secret}`, 'It is shown this once.']);
    });
}

function remove(): Command {
  return apiCommand('remove')
    .description('remove a channel, with what waits for it')
    .argument('<channel>', CHANNEL_ARGUMENT)
    .action(async (id: string, { json, ...connection }: ApiOptions) => {
      await callApi(channelPath(id), connection, { method: 'DELETE' });
      print(json, { id, removed: true }, [`${id} is removed.`]);
    });
}

function channelPath(id: string): string {
  return `/v1/notifications/${encodeURIComponent(id)}`;
}

async function change(id: string, json: object, connection: Connection): Promise<ChannelDetails> {
  return await requestJson<ChannelDetails>(channelPath(id), connection, { method: 'PATCH', json });
}

function inferType(target: string): string {
  return target.includes('@') && !target.includes('://') ? 'email' : 'webhook';
}

function toLines({ id, type, format, label, target, active, secret }: OpenedChannel): string[] {
  const facts = {
    Id: id,
    Type: type,
    ...(format !== undefined && { Format: format }),
    ...(label !== undefined && { Label: label }),
    Target: target,
    Active: active ? 'yes' : 'no, until its address is confirmed',
  };
  if (secret === undefined) return definitionList(facts);
  return [...definitionList({ ...facts, Secret: secret }), 'The secret is shown this once.'];
}

/**
 * Prints deliveries.
 * @param path the API's path of the deliveries of a channel, or of the deliveries about an entry
 */
export async function printDeliveries(path: string, { json, page, ...connection }: PageOptions): Promise<void> {
  const found = await requestJson<Deliveries>(`${path}?page=${page}`, connection);
  print(json, found, toDeliveryLines(found));
}

/** Makes a line for each delivery. The name comes first, because people look for the deliveries about a name. */
function toDeliveryLines({ data, meta }: Deliveries): string[] {
  if (data.length === 0) return ['nothing was sent'];
  const rows = data.map((one) => [
    one.domain ?? '-',
    toHappening(one) ?? one.event_type,
    one.created_at,
    one.channel_label ?? one.channel_id,
    one.state,
    toLastOutcome(one),
  ]);
  const head = ['DOMAIN', 'WHAT HAPPENED', 'WHEN', 'CHANNEL', 'STATE', 'LAST ATTEMPT'];
  return [...table(head, rows), ...pageLines(meta)];
}

function toLastOutcome({ attempts }: Delivery): string {
  const last = attempts.at(-1);
  return last === undefined ? 'none' : (last.outcome ?? 'in progress');
}
