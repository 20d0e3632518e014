import { Command, InvalidArgumentError, Option } from 'commander';
import { DomainName } from '../../domains/language.js';
import { DomainError } from '../../kernel/domain-error.js';
import { print } from '../run-admin-command.js';
import { callApi, type Connection, getJson } from '../api/api-client.js';
import { apiCommand } from '../api/api-command.js';
import { STATUS_SECTIONS, type StatusSections, toStatusText } from '../api/entry-status.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { definitionList, table } from '../terminal/table.js';
import { readDeliveries, toDeliveryLines } from './deliveries.js';
import { findNewestRemovedId, readHistory, toHistoryLines } from './history.js';

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
interface PageOptions extends CommonOptions {
  readonly page: number;
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
const KEPT_ENTRY_ARGUMENT = `${ENTRY_ARGUMENT}; of a name that is not watched, the entry that was removed last`;

export function watch(): Command {
  return new Command('watch')
    .description('put names on the watchlist, list them, pause them, take them off; see what became of them')
    .addCommand(add())
    .addCommand(list())
    .addCommand(show())
    .addCommand(pause())
    .addCommand(resume())
    .addCommand(remove())
    .addCommand(history())
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

function history(): Command {
  return apiCommand('history')
    .description('list what a name was when, newest first, also after it was removed')
    .argument('<entry>', KEPT_ENTRY_ARGUMENT)
    .option('--page <number>', 'which page', wholeNumber, 1)
    .action(async (entry: string, { json, page, ...connection }: PageOptions) => {
      const found = await readHistory(entryPath(await resolveKeptEntryId(entry, connection)), page, connection);
      print(json, found, toHistoryLines(found));
    });
}

function deliveries(): Command {
  return apiCommand('deliveries')
    .description('list who was told what of a name, newest first')
    .argument('<entry>', KEPT_ENTRY_ARGUMENT)
    .option('--page <number>', 'which page', wholeNumber, 1)
    .action(async (entry: string, { json, page, ...connection }: PageOptions) => {
      const id = await resolveKeptEntryId(entry, connection);
      const found = await readDeliveries(`${entryPath(id)}/deliveries`, page, connection);
      print(json, found, toDeliveryLines(found));
    });
}

function entryPath(id: string, isExpanded = false): string {
  return `/v1/watchlist/${encodeURIComponent(id)}${isExpanded ? `?expand=${STATUS_SECTIONS}` : ''}`;
}

async function resolveEntryId(entry: string, connection: Connection): Promise<string> {
  if (entry.startsWith('wl_')) return entry;
  const id = await findWatchedId(entry, connection);
  if (id === null) throw new CommandError(EXIT.notFound, `${entry} is not watched`);
  return id;
}

/** Of what is watched, else of what was: a file, or another person, may have removed it. */
async function resolveKeptEntryId(entry: string, connection: Connection): Promise<string> {
  if (entry.startsWith('wl_')) return entry;
  const id = (await findWatchedId(entry, connection)) ?? (await findNewestRemovedId(entry, connection));
  if (id === null) throw new CommandError(EXIT.notFound, `${entry} is not watched, and no removed entry of it is kept`);
  return id;
}

/** The list filters by how names begin; the name itself comes first among those. */
async function findWatchedId(spelling: string, connection: Connection): Promise<string | null> {
  const domain = toAscii(spelling);
  const query = new URLSearchParams({ domain, sort: 'domain', per_page: '1' });
  const { data } = (await getJson(`/v1/watchlist?${query.toString()}`, connection)) as EntryPage;
  const [found] = data;
  return found?.domain === domain ? found.id : null;
}

/** As the service writes names; what is no name is watched by nobody. */
function toAscii(spelling: string): string {
  try {
    return DomainName.parseAnySuffix(spelling).ascii;
  } catch (error) {
    if (error instanceof DomainError) return spelling;
    throw error;
  }
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
