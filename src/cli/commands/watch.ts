import { Command, InvalidArgumentError, Option } from 'commander';
import { print } from '../run-admin-command.js';
import { callApi, type Connection, getJson } from '../api/api-client.js';
import { apiCommand } from '../api/api-command.js';
import { STATUS_SECTIONS, type StatusSections, toStatusText } from '../api/entry-status.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { definitionList, table } from '../terminal/table.js';
import { readDeliveries, toDeliveryLines } from './deliveries.js';

interface CommonOptions extends Connection {
  readonly json?: boolean;
}
interface AddOptions extends CommonOptions {
  readonly interval?: number;
  readonly window?: number;
  readonly tag?: string[];
  readonly note?: string;
  readonly intent?: string;
}
interface ListOptions extends CommonOptions {
  readonly status?: string;
  readonly domain?: string;
  readonly tag?: string[];
  readonly page: number;
  readonly perPage: number;
}
interface Entry extends StatusSections {
  readonly id: string;
  readonly domain: string;
  readonly interval_minutes: number;
}
interface EntryDetail extends Entry {
  readonly phase: string;
  readonly expires_at: string | null;
  readonly last_checked_at: string | null;
  readonly next_check_at: string | null;
  readonly paused: boolean;
  readonly tags: readonly string[];
  readonly note: string | null;
  readonly intent: string;
}
interface EntryPage {
  readonly data: readonly Entry[];
  readonly meta: { readonly page: number; readonly per_page: number; readonly total: number };
}

const ENTRY_ARGUMENT = 'its id, wl_…, or the name';

export function watch(): Command {
  return new Command('watch')
    .description('put names on the watchlist, list them, pause them, take them off')
    .addCommand(add())
    .addCommand(list())
    .addCommand(show())
    .addCommand(pause())
    .addCommand(resume())
    .addCommand(remove())
    .addCommand(deliveries());
}

function add(): Command {
  return apiCommand('add')
    .description('watch a name')
    .argument('<domain>')
    .option('--interval <minutes>', 'longest time between two checks', wholeNumber)
    .option('--window <days>', 'so long before its expiry it is expiring', wholeNumber)
    .option('--tag <tag...>', 'words of your own')
    .option('--note <text>', 'for people')
    .addOption(new Option('--intent <intent>', 'what the name is wanted for').choices(['own', 'acquire', 'monitor']))
    .action(async (domain: string, { json, interval, window, tag, note, intent, ...connection }: AddOptions) => {
      const body = { domain, interval_minutes: interval, expiring_window_days: window, tags: tag, note, intent };
      const headers = { 'content-type': 'application/json' };
      const answer = await callApi('/v1/watchlist', connection, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      const entry = (await answer.json()) as Entry;
      const added = json ? entry : ((await getJson(entryPath(entry.id, true), connection)) as Entry);
      print(json, entry, toLines([added]));
    });
}

function list(): Command {
  return apiCommand('list')
    .description('list the watchlist, newest first')
    .option('--status <status>', 'only entries of this status')
    .option('--domain <prefix>', 'only names that begin so')
    .option('--tag <tag...>', 'only entries with all of these tags')
    .option('--page <number>', 'which page', wholeNumber, 1)
    .option('--per-page <number>', 'entries of a page', wholeNumber, 100)
    .action(async ({ json, status, domain, tag = [], page, perPage, ...connection }: ListOptions) => {
      const query = new URLSearchParams({ page: String(page), per_page: String(perPage), expand: STATUS_SECTIONS });
      if (status !== undefined) query.set('status', status);
      if (domain !== undefined) query.set('domain', domain);
      tag.forEach((one) => query.append('tag', one));
      const { data, meta } = (await getJson(`/v1/watchlist?${query.toString()}`, connection)) as EntryPage;
      const more = meta.total > page * perPage ? [`page ${page} of ${Math.ceil(meta.total / perPage)}`] : [];
      print(json, { data, meta }, data.length > 0 ? [...toLines(data), ...more] : ['nothing is watched here']);
    });
}

function remove(): Command {
  return apiCommand('remove')
    .description('stop watching a name')
    .argument('<entry>', ENTRY_ARGUMENT)
    .action(async (entry: string, { json, ...connection }: CommonOptions) => {
      const id = await resolveEntryId(entry, connection);
      await callApi(entryPath(id), connection, { method: 'DELETE' });
      print(json, { id, removed: true }, [`${entry} is no longer watched.`]);
    });
}

function show(): Command {
  return apiCommand('show')
    .description('show all about one entry')
    .argument('<entry>', ENTRY_ARGUMENT)
    .action(async (entry: string, { json, ...connection }: CommonOptions) => {
      const path = entryPath(await resolveEntryId(entry, connection), true);
      const detail = (await getJson(path, connection)) as EntryDetail;
      print(json, detail, definitionList(toFacts(detail)));
    });
}

function pause(): Command {
  return pauseCommand('pause', 'stop checking a name, and keep its entry', true);
}

function resume(): Command {
  return pauseCommand('resume', 'check a paused name again', false);
}

function pauseCommand(name: string, description: string, paused: boolean): Command {
  return apiCommand(name)
    .description(description)
    .argument('<entry>', ENTRY_ARGUMENT)
    .action(async (entry: string, { json, ...connection }: CommonOptions) => {
      const headers = { 'content-type': 'application/merge-patch+json' };
      const request = { method: 'PATCH', headers, body: JSON.stringify({ paused }) };
      const answer = await callApi(entryPath(await resolveEntryId(entry, connection)), connection, request);
      const detail = (await answer.json()) as EntryDetail;
      print(json, detail, [`${detail.domain} is ${paused ? 'paused' : 'checked again'}.`]);
    });
}

function deliveries(): Command {
  return apiCommand('deliveries')
    .description('list who was told what of a name, newest first')
    .argument('<entry>', ENTRY_ARGUMENT)
    .option('--page <number>', 'which page', wholeNumber, 1)
    .action(async (entry: string, { json, page, ...connection }: CommonOptions & { readonly page: number }) => {
      const id = await resolveEntryId(entry, connection);
      const found = await readDeliveries(`${entryPath(id)}/deliveries`, page, connection);
      print(json, found, toDeliveryLines(found));
    });
}

function entryPath(id: string, isExpanded = false): string {
  return `/v1/watchlist/${encodeURIComponent(id)}${isExpanded ? `?expand=${STATUS_SECTIONS}` : ''}`;
}

/** The list filters by how names begin; the name itself comes first among those. */
async function resolveEntryId(entry: string, connection: Connection): Promise<string> {
  if (entry.startsWith('wl_')) return entry;
  const domain = entry;
  const query = new URLSearchParams({ domain, sort: 'domain', per_page: '1' });
  const { data } = (await getJson(`/v1/watchlist?${query.toString()}`, connection)) as EntryPage;
  const [found] = data;
  if (found?.domain !== domain.toLowerCase()) throw new CommandError(EXIT.notFound, `${domain} is not watched`);
  return found.id;
}

function toLines(entries: readonly Entry[]): string[] {
  const rows = entries.map((entry) => {
    const { id, domain, interval_minutes, failing } = entry;
    return [id, domain, toStatusText(entry), `${interval_minutes} min`, failing ? failing.code : '-'];
  });
  return table(['ID', 'DOMAIN', 'STATUS', 'INTERVAL', 'FAILING'], rows);
}

function toFacts(detail: EntryDetail): Record<string, string> {
  const { failing, tags, note } = detail;
  const status = toStatusText(detail);
  const isKnown = status === detail.status.replaceAll('_', ' ');
  return {
    Domain: detail.domain,
    Id: detail.id,
    Status: isKnown ? `${status} (phase ${detail.phase.replaceAll('_', ' ')})` : status,
    Expires: detail.expires_at ?? 'unknown',
    Interval: `${detail.interval_minutes} min`,
    'Last checked': detail.last_checked_at ?? 'never',
    'Next check': detail.paused ? 'paused' : (detail.next_check_at ?? 'not planned'),
    Failing: failing ? `${failing.code} since ${failing.since}` : 'no',
    Intent: detail.intent,
    Tags: tags.length > 0 ? tags.join(', ') : '-',
    Note: note ?? '-',
  };
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('not a whole number');
  return Number(text);
}
