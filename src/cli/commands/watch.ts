import type {
  Entry,
  ExpandedEntry,
  History,
  Operators,
  RemovedEntries,
  RemovedEntry,
  Tags,
  Watchlist,
  WatchlistSummary,
} from '#client';
import { Command, Option } from 'commander';
import { DomainName } from '../../domains/language.js';
import { DomainError } from '../../kernel/domain-error.js';
import { definitionList, parseWholeNumber, pluralize, print, table } from '../terminal.js';
import {
  apiCommand,
  type ApiOptions,
  callApi,
  type Connection,
  requestJson,
  pageLines,
  type PageOptions,
} from '../api-client.js';
import { addFilters, type FilterOptions, notifyCurrentOption, toFilterQuery } from './entry-filters.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { printDeliveries } from './channel.js';
import { actOnMany, addManyOptions, isMany, type ManyOptions, set } from './watch-many.js';

interface AddOptions extends ApiOptions {
  readonly interval?: number;
  readonly window?: number;
  readonly tag?: string[];
  readonly note?: string;
  readonly purpose?: string;
  readonly notifyCurrent?: true;
}
interface ListOptions extends PageOptions, FilterOptions {
  readonly perPage: number;
}

const ENTRY_ARGUMENT = 'its id, wl_…, or the name';
const KEPT_ENTRY_ARGUMENT = `${ENTRY_ARGUMENT}; of a name that is not watched, the entry that was removed last`;

export function watch(): Command {
  return new Command('watch')
    .addCommand(add())
    .addCommand(list())
    .addCommand(summary())
    .addCommand(tags())
    .addCommand(operators())
    .addCommand(show())
    .addCommand(pauseCommand('pause', 'stop checking a name, and keep its entry', true))
    .addCommand(pauseCommand('resume', 'check a paused name again', false))
    .addCommand(set())
    .addCommand(remove())
    .addCommand(history())
    .addCommand(deliveries());
}

function add(): Command {
  return apiCommand('add')
    .description('watch a name')
    .argument('<domain>')
    .option('--interval <minutes>', 'longest time between two checks', parseWholeNumber())
    .option('--window <days>', 'so long before its expiry it is expiring', parseWholeNumber())
    .option('--tag <tag...>', 'words of your own')
    .option('--note <text>', 'for people')
    .addOption(new Option('--purpose <purpose>', 'what the name is wanted for').choices(['own', 'acquire', 'monitor']))
    .addOption(notifyCurrentOption())
    .action(async (domain: string, options: AddOptions) => {
      const { json, interval, window, tag, note, purpose, notifyCurrent, ...connection } = options;
      const settings = { interval_minutes: interval, expiring_window_days: window, tags: tag, note, purpose };
      const body = { domain, ...settings, notify_current: notifyCurrent };
      const entry = await requestJson<Entry>('/v1/watchlist', connection, { method: 'POST', json: body });
      const added = json ? entry : await requestJson<Entry>(entryPath(entry.id, true), connection);
      print(json, entry, toLines([added]));
    });
}

function list(): Command {
  return addFilters(apiCommand('list'))
    .description('list the watchlist, newest first')
    .option('--page <number>', 'which page', parseWholeNumber(), 1)
    .option('--per-page <number>', 'entries of a page', parseWholeNumber(), 100)
    .action(async (options: ListOptions) => {
      const { json, page, perPage } = options;
      const query = toFilterQuery(options, { page: String(page), per_page: String(perPage), expand: STATUS_SECTIONS });
      const { data, meta } = await requestJson<Watchlist>(`/v1/watchlist?${query.toString()}`, options);
      const nothing = query.size > 3 ? 'no name matches' : 'nothing is watched here';
      const lines = data.length > 0 ? [...toLines(data), ...pageLines(meta)] : [nothing];
      print(json, { data, meta }, lines);
    });
}

function summary(): Command {
  return apiCommand('summary')
    .description('count what needs action')
    .action(async ({ json, ...connection }: ApiOptions) => {
      const found = await requestJson<WatchlistSummary>('/v1/watchlist/summary', connection);
      const needs = Object.entries(found.action_needed).filter(([, count]) => count !== null && count > 0);
      const rows = needs.map(([need, count]) => [String(count), need.replaceAll('_', ' ')]);
      print(json, found, [
        `Watching ${pluralize(found.entries, 'name')}.`,
        ...(rows.length > 0 ? table(['COUNT', 'ACTION NEEDED'], rows) : ['Nothing needs action.']),
      ]);
    });
}

function tags(): Command {
  return apiCommand('tags')
    .description('list the tags of all entries, the most frequent first')
    .option('--search <text>', 'only tags that contain this text')
    .option('--page <number>', 'which page', parseWholeNumber(), 1)
    .action(async ({ json, page, search, ...connection }: PageOptions & { readonly search?: string }) => {
      const query = new URLSearchParams({ page: String(page), per_page: '100', ...(search && { search }) });
      const found = await requestJson<Tags>(`/v1/watchlist/tags?${query.toString()}`, connection);
      const rows = found.data.map(({ tag, entries }) => [String(entries), tag]);
      print(json, found, rows.length > 0 ? [...table(['NAMES', 'TAG'], rows), ...pageLines(found.meta)] : ['no tags']);
    });
}

function operators(): Command {
  return apiCommand('operators')
    .description('list the registry operators of all entries, the most frequent first')
    .action(async ({ json, ...connection }: ApiOptions) => {
      const found = await requestJson<Operators>('/v1/watchlist/operators', connection);
      const rows = found.data.map(({ operator, tlds, entries }) => [String(entries), operator, tlds.join(' ')]);
      print(json, found, rows.length > 0 ? table(['NAMES', 'OPERATOR', 'TLDS'], rows) : ['no names']);
    });
}

function remove(): Command {
  return addManyOptions(apiCommand('remove'))
    .description('stop watching a name, or all that match filters')
    .argument('[entry]', `${ENTRY_ARGUMENT}; instead of filters`)
    .action(async (entry: string | undefined, options: ManyOptions) => {
      if (entry === undefined) return actOnMany('DELETE', options);
      if (isMany(options)) throw new CommandError(EXIT.usage, 'give a name or filters, not both');
      const { json, ...connection } = options;
      const id = await resolveEntryId(entry, connection);
      await callApi(entryPath(id), connection, { method: 'DELETE' });
      print(json, { id, removed: true }, [`${entry} is no longer watched.`]);
    });
}

function show(): Command {
  return apiCommand('show')
    .description('show all about one entry')
    .argument('<entry>', ENTRY_ARGUMENT)
    .action(async (entry: string, { json, ...connection }: ApiOptions) => {
      const path = entryPath(await resolveEntryId(entry, connection), true);
      const detail = await requestJson<Entry>(path, connection);
      print(json, detail, definitionList(toFacts(detail)));
    });
}

function pauseCommand(name: string, description: string, paused: boolean): Command {
  const command = apiCommand(name).description(description).argument('<entry>', ENTRY_ARGUMENT);
  if (!paused) command.addOption(notifyCurrentOption());
  return command.action(
    async (entry: string, { json, notifyCurrent, ...connection }: ApiOptions & { notifyCurrent?: true }) => {
      const path = entryPath(await resolveEntryId(entry, connection));
      const detail = await requestJson<Entry>(path, connection, {
        method: 'PATCH',
        json: { paused, notify_current: notifyCurrent },
      });
      print(json, detail, [`${detail.domain} is ${paused ? 'paused' : 'checked again'}.`]);
    },
  );
}

function history(): Command {
  return apiCommand('history')
    .description('list what a name was when, newest first, also after it was removed')
    .argument('<entry>', KEPT_ENTRY_ARGUMENT)
    .option('--page <number>', 'which page', parseWholeNumber(), 1)
    .action(async (entry: string, { json, page, ...connection }: PageOptions) => {
      const path = entryPath(await resolveKeptEntryId(entry, connection));
      const found = await requestJson<History>(`${path}/history?page=${page}`, connection);
      print(json, found, toHistoryLines(found));
    });
}

function deliveries(): Command {
  return apiCommand('deliveries')
    .description('list who was told what of a name, newest first')
    .argument('<entry>', KEPT_ENTRY_ARGUMENT)
    .option('--page <number>', 'which page', parseWholeNumber(), 1)
    .action(async (entry: string, options: PageOptions) =>
      printDeliveries(`${entryPath(await resolveKeptEntryId(entry, options))}/deliveries`, options),
    );
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

async function resolveKeptEntryId(entry: string, connection: Connection): Promise<string> {
  if (entry.startsWith('wl_')) return entry;
  const id = (await findWatchedId(entry, connection)) ?? (await findNewestRemovedId(entry, connection));
  if (id === null) throw new CommandError(EXIT.notFound, `${entry} is not watched, and has no removed entry`);
  return id;
}

async function findWatchedId(spelling: string, connection: Connection): Promise<string | null> {
  const domain = toAscii(spelling);
  // The filter `domain` matches all names that begin with the text. The exact name sorts first.
  const query = new URLSearchParams({ domain, sort: 'domain', per_page: '1' });
  const { data } = await requestJson<Watchlist>(`/v1/watchlist?${query.toString()}`, connection);
  const [found] = data;
  return found?.domain === domain ? found.id : null;
}

/** Returns a name in ASCII, as the service stores names. Returns an invalid name unchanged. */
function toAscii(spelling: string): string {
  try {
    return DomainName.parseAnySuffix(spelling).ascii;
  } catch (error) {
    if (error instanceof DomainError) return spelling;
    throw error;
  }
}

function toLines(entries: readonly (Entry | ExpandedEntry)[]): string[] {
  const rows = entries.map((entry) => {
    const { id, domain, interval_minutes, failing } = entry;
    return [id, domain, toStatusText(entry), `${interval_minutes} min`, failing ? failing.code : '-'];
  });
  return table(['ID', 'DOMAIN', 'STATUS', 'INTERVAL', 'FAILING'], rows);
}

function toFacts(detail: Entry): Record<string, string> {
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
    Purpose: detail.purpose,
    Tags: tags.length > 0 ? tags.join(', ') : '-',
    Note: note ?? '-',
  };
}

/**
 * Finds the newest removed entry of a name.
 * @returns null if no removed entry of this name is kept
 */
async function findNewestRemovedId(domain: string, connection: Connection): Promise<string | null> {
  const query = new URLSearchParams({ domain, per_page: '1' });
  const { data } = await requestJson<RemovedEntries>(`/v1/watchlist/removed?${query.toString()}`, connection);
  return data[0]?.id ?? null;
}

/** Shows a removal first, because people look for the reason why a name is missing. */
function toHistoryLines({ data, meta, removed }: History): string[] {
  const gone = removed ? [toRemovalLine(removed)] : [];
  if (data.length === 0) return [...gone, 'no status was confirmed, or what was is no longer kept'];
  const rows = data.map((one) => [
    one.status.replaceAll('_', ' '),
    one.phase.replaceAll('_', ' '),
    one.first_seen_at,
    one.last_seen_at,
    one.expires_at ?? '-',
  ]);
  return [...gone, ...table(['STATUS', 'PHASE', 'FIRST SEEN', 'LAST SEEN', 'EXPIRES'], rows), ...pageLines(meta)];
}

function toRemovalLine({ domain, added_at, removed_at, request_id }: RemovedEntry): string {
  const by = request_id === null ? '' : ` by request ${request_id}`;
  return `${domain} was added on ${added_at}, removed on ${removed_at}${by}`;
}

export const STATUS_SECTIONS = 'lifecycle,failing';

/**
 * Whether a registry's answer about this entry was confirmed. Until then, the status `registered` is only a
 * placeholder.
 */
export function isAnswered({ last_checked_at, lifecycle }: Entry | ExpandedEntry): boolean {
  return last_checked_at !== null && lifecycle !== null;
}

function toStatusText(entry: Entry | ExpandedEntry): string {
  if (isAnswered(entry)) return entry.status.replaceAll('_', ' ');
  return entry.last_checked_at === null ? 'not checked' : 'not confirmed';
}
