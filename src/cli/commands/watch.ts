import { Command, InvalidArgumentError, Option } from 'commander';
import { print } from '../run-admin-command.js';
import { ask, type Connection, get } from '../api/api-client.js';
import { connected } from '../api/api-command.js';
import { CommandFailed, EXIT } from '../exit-codes.js';
import { listing, table } from '../terminal/table.js';

interface Common extends Connection {
  readonly json?: boolean;
}
interface Wishes extends Common {
  readonly interval?: number;
  readonly window?: number;
  readonly tag?: string[];
  readonly note?: string;
  readonly intent?: string;
}
interface Filters extends Common {
  readonly status?: string;
  readonly domain?: string;
  readonly tag?: string[];
  readonly page: number;
  readonly perPage: number;
}
interface Entry {
  readonly id: string;
  readonly domain: string;
  readonly status: string;
  readonly interval_minutes: number;
}
interface Detail extends Entry {
  readonly phase: string;
  readonly expires_at: string | null;
  readonly last_checked_at: string | null;
  readonly next_check_at: string | null;
  readonly paused: boolean;
  readonly tags: readonly string[];
  readonly note: string | null;
  readonly intent: string;
  readonly failing: { readonly since: string; readonly code: string } | null;
}
interface Listed {
  readonly data: readonly Entry[];
  readonly meta: { readonly page: number; readonly per_page: number; readonly total: number };
}

const ENTRY = 'its id, wl_…, or the name';

export function watch(): Command {
  return new Command('watch')
    .description('put names on the watchlist, list them, pause them, take them off')
    .addCommand(add())
    .addCommand(list())
    .addCommand(show())
    .addCommand(pause())
    .addCommand(resume())
    .addCommand(remove());
}

function add(): Command {
  return connected('add')
    .description('watch a name')
    .argument('<domain>')
    .option('--interval <minutes>', 'largest gap between two looks', wholeNumber)
    .option('--window <days>', 'so long before its expiry it is expiring', wholeNumber)
    .option('--tag <tag...>', 'words of your own')
    .option('--note <text>', 'for people')
    .addOption(new Option('--intent <intent>', 'what the name is wanted for').choices(['own', 'acquire', 'monitor']))
    .action(async (domain: string, { json, interval, window, tag, note, intent, ...connection }: Wishes) => {
      const wishes = { domain, interval_minutes: interval, expiring_window_days: window, tags: tag, note, intent };
      const headers = { 'content-type': 'application/json' };
      const answer = await ask('/v1/watchlist', connection, { method: 'POST', headers, body: JSON.stringify(wishes) });
      const entry = (await answer.json()) as Entry;
      print(json, entry, linesOf([entry]));
    });
}

function list(): Command {
  return connected('list')
    .description('list the watchlist, newest first')
    .option('--status <status>', 'only entries of this status')
    .option('--domain <prefix>', 'only names that begin so')
    .option('--tag <tag...>', 'only entries with all of these tags')
    .option('--page <number>', 'which page', wholeNumber, 1)
    .option('--per-page <number>', 'entries of a page', wholeNumber, 100)
    .action(async ({ json, status, domain, tag = [], page, perPage, ...connection }: Filters) => {
      const query = new URLSearchParams({ page: String(page), per_page: String(perPage) });
      if (status !== undefined) query.set('status', status);
      if (domain !== undefined) query.set('domain', domain);
      tag.forEach((one) => query.append('tag', one));
      const { data, meta } = (await get(`/v1/watchlist?${query.toString()}`, connection)) as Listed;
      const more = meta.total > page * perPage ? [`page ${page} of ${Math.ceil(meta.total / perPage)}`] : [];
      print(json, { data, meta }, data.length > 0 ? [...linesOf(data), ...more] : ['nothing is watched here']);
    });
}

function remove(): Command {
  return connected('remove')
    .description('stop watching a name')
    .argument('<entry>', ENTRY)
    .action(async (entry: string, { json, ...connection }: Common) => {
      const id = await idOf(entry, connection);
      await ask(pathOf(id), connection, { method: 'DELETE' });
      print(json, { id, removed: true }, [`${entry} is no longer watched.`]);
    });
}

function show(): Command {
  return connected('show')
    .description('show all about one entry')
    .argument('<entry>', ENTRY)
    .action(async (entry: string, { json, ...connection }: Common) => {
      const detail = (await get(pathOf(await idOf(entry, connection)), connection)) as Detail;
      print(json, detail, listing(factsOf(detail)));
    });
}

function pause(): Command {
  return pausing('pause', 'stop checking a name, and keep its entry', true);
}

function resume(): Command {
  return pausing('resume', 'check a paused name again', false);
}

function pausing(name: string, description: string, paused: boolean): Command {
  return connected(name)
    .description(description)
    .argument('<entry>', ENTRY)
    .action(async (entry: string, { json, ...connection }: Common) => {
      const headers = { 'content-type': 'application/merge-patch+json' };
      const request = { method: 'PATCH', headers, body: JSON.stringify({ paused }) };
      const answer = await ask(pathOf(await idOf(entry, connection)), connection, request);
      const detail = (await answer.json()) as Detail;
      print(json, detail, [`${detail.domain} is ${paused ? 'paused' : 'checked again'}.`]);
    });
}

function pathOf(id: string): string {
  return `/v1/watchlist/${encodeURIComponent(id)}`;
}

/** The list filters by how names begin; the name itself comes first among those. */
async function idOf(entry: string, connection: Connection): Promise<string> {
  if (entry.startsWith('wl_')) return entry;
  const domain = entry;
  const query = new URLSearchParams({ domain, sort: 'domain', per_page: '1' });
  const { data } = (await get(`/v1/watchlist?${query.toString()}`, connection)) as Listed;
  const [found] = data;
  if (found?.domain !== domain.toLowerCase()) throw new CommandFailed(EXIT.notFound, `${domain} is not watched`);
  return found.id;
}

function linesOf(entries: readonly Entry[]): string[] {
  const rows = entries.map(({ id, domain, status, interval_minutes }) => {
    return [id, domain, status.replace('_', ' '), `${interval_minutes} min`];
  });
  return table(['ID', 'DOMAIN', 'STATUS', 'INTERVAL'], rows);
}

function factsOf(detail: Detail): Record<string, string> {
  const { failing, tags, note } = detail;
  return {
    Domain: detail.domain,
    Id: detail.id,
    Status: `${detail.status} (phase ${detail.phase})`.replaceAll('_', ' '),
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
