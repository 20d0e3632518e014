import type { Import } from '#client';
import type { Command } from 'commander';
import { callApi, type ApiOptions, apiCommand, readStreamedRows } from '../api-client.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { print, readInput, parseWholeNumber, pluralize } from '../terminal.js';
import { notifyCurrentOption } from './entry-filters.js';
import { parseWatchlistFile, type WatchlistFile } from './watchlist-file.js';

interface Options extends ApiOptions {
  readonly check?: boolean;
  readonly prune?: boolean;
  readonly maxRemovals?: number;
  readonly notifyCurrent?: true;
}

const MAX_REMOVALS = 1_000_000;

export function apply(): Command {
  return apiCommand('apply')
    .argument('<file>', 'the watchlist; - is standard input')
    .option('--check', `write nothing, and exit with ${EXIT.differs} when something would change`)
    .option('--prune', 'remove entries with the tag that the file does not name; needs --max-removals')
    .option('--max-removals <number>', 'do nothing if more than these would be removed', parseWholeNumber(MAX_REMOVALS))
    .addOption(notifyCurrentOption())
    .action(async (file: string, options: Options) => {
      const { json, check = false, prune = false, maxRemovals, notifyCurrent, ...connection } = options;
      if (prune !== (maxRemovals !== undefined))
        throw new CommandError(EXIT.usage, '--prune and --max-removals go together');
      const watchlist = await parseWatchlistFile(file, await readInput(file));
      const query = new URLSearchParams({ mode: 'sync', scope_tag: watchlist.tag, dry_run: String(check) });
      if (notifyCurrent) query.set('notify_current', 'true');
      if (maxRemovals !== undefined) query.set('max_removals', String(maxRemovals));
      const answer = await callApi(`/v1/watchlist/import?${query.toString()}`, connection, {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson', accept: 'application/x-ndjson' },
        body: Buffer.from(watchlist.rows.map(({ row }) => `${JSON.stringify(row)}\n`).join('')),
        timeoutMs: null,
      });
      const rows: SyncRow[] = [];
      const toReport = () => ({
        changes: rows.filter((row) => formatSyncRow(row) !== null),
        lines: rows.flatMap((row) => formatSyncRow(row) ?? []),
      });
      const summary = await readOutcomes(answer, rows).catch((error: unknown) => {
        const { changes, lines } = toReport();
        if (lines.length > 0) print(json, { interrupted: true, changes }, lines);
        throw error;
      });
      const { changes, lines } = toReport();
      print(json, { ...summary, changes }, [...lines, formatSyncSummary(summary)]);
      if (summary.failed > 0) throw new CommandError(EXIT.refused, formatFailures(file, watchlist, rows));
      if (check && countDifferences(summary) > 0) throw new CommandError(EXIT.differs, '');
    });
}

/** Reads the rows of the response into `rows`, except rows of unchanged entries. */
function readOutcomes(answer: Response, rows: SyncRow[]): Promise<SyncSummary> {
  return readStreamedRows<SyncRow, SyncSummary>(answer, (row) => {
    if (row.outcome !== 'existing' && row.outcome !== 'skipped') rows.push(row);
  });
}

/** Returns one line for each failure: `watchlist.yaml:12:5: example.com already_watched: …`. */
function formatFailures(file: string, watchlist: WatchlistFile, rows: readonly SyncRow[]): string {
  const failed = rows.filter(({ outcome }) => outcome === 'failed');
  const lines = failed.map(({ line, domain, code, message }) => {
    const { position } = watchlist.rows[(line ?? 0) - 1] ?? { position: null };
    return `${file}:${position?.line ?? 0}:${position?.col ?? 0}: ${domain ?? ''} ${code ?? ''}: ${message ?? ''}`;
  });
  return lines.join('\n');
}

interface SyncRow {
  /** The line's number in the request, not in the file. Null for an entry that the file does not contain. */
  readonly line: number | null;
  readonly domain: string | null;
  readonly outcome: 'created' | 'changed' | 'existing' | 'skipped' | 'failed' | 'removed' | 'unlisted';
  readonly fields?: readonly string[];
  readonly code?: string;
  readonly message?: string;
}

/** The last line of the response. It has all counts, although some are optional in the responses to other imports. */
type SyncSummary = Required<Import>;

/** Returns a line such as `~ example.com (note, tags)`; null for a row that needs no line. */
function formatSyncRow({ domain, outcome, fields = [] }: SyncRow): string | null {
  switch (outcome) {
    case 'created':
      return `+ ${domain ?? ''}`;
    case 'changed':
      return `~ ${domain ?? ''} (${fields.join(', ')})`;
    case 'removed':
      return `- ${domain ?? ''}`;
    case 'unlisted':
      return `? ${domain ?? ''} (not in the file, stays)`;
    case 'existing':
    case 'skipped':
    case 'failed':
      return null;
  }
}

function formatSyncSummary(summary: SyncSummary): string {
  const { dry_run, total, created, changed, existing, removed, unlisted, failed } = summary;
  const stay = unlisted > 0 ? `, ${unlisted} not in the file` : '';
  const isUnwritten = dry_run || (failed > 0 && countDifferences(summary) === 0);
  const note = isUnwritten ? ' (nothing was written)' : '';
  const counts = `${created} to add, ${changed} to change, ${removed} to remove`;
  const done = `${created} added, ${changed} changed, ${removed} removed`;
  const refused = failed > 0 ? `, ${failed} refused` : '';
  return `${pluralize(total, 'name')}: ${dry_run ? counts : done}, ${existing} as they are${stay}${refused}${note}`;
}

function countDifferences({ created, changed, removed }: SyncSummary): number {
  return created + changed + removed;
}
