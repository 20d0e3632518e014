import type { Command } from 'commander';
import { callApi, type Connection } from '../api/api-client.js';
import { apiCommand } from '../api/api-command.js';
import { readStreamedRows } from '../api/streamed-rows.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { print } from '../run-admin-command.js';
import { readInput } from '../terminal/files.js';
import { parseWholeNumber } from '../terminal/whole-number.js';
import { countDifferences, formatSyncRow, formatSyncSummary, type SyncRow, type SyncSummary } from './sync-messages.js';
import { parseWatchlistFile, type WatchlistFile } from './watchlist-file.js';

interface Options extends Connection {
  readonly json?: boolean;
  readonly check?: boolean;
  readonly prune?: boolean;
  readonly maxRemovals?: number;
}

const MAX_REMOVALS = 1_000_000;

export function apply(): Command {
  return apiCommand('apply')
    .description('make the entries of a tag equal to a YAML file')
    .argument('<file>', 'the watchlist; - is standard input')
    .option('--check', `write nothing, and exit with ${EXIT.differs} when something would change`)
    .option('--prune', 'remove entries with the tag that the file does not name; needs --max-removals')
    .option('--max-removals <number>', 'do nothing if more than these would be removed', parseWholeNumber(MAX_REMOVALS))
    .action(async (file: string, { json, check = false, prune = false, maxRemovals, ...connection }: Options) => {
      if (prune !== (maxRemovals !== undefined))
        throw new CommandError(EXIT.usage, '--prune and --max-removals go together');
      const watchlist = await parseWatchlistFile(file, await readInput(file));
      const query = new URLSearchParams({ mode: 'sync', scope_tag: watchlist.tag, dry_run: String(check) });
      if (maxRemovals !== undefined) query.set('max_removals', String(maxRemovals));
      const answer = await callApi(`/v1/watchlist/import?${query.toString()}`, connection, {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson', accept: 'application/x-ndjson' },
        body: toNdjson(watchlist),
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

function toNdjson({ rows }: WatchlistFile): Buffer<ArrayBuffer> {
  return Buffer.from(rows.map(({ row }) => `${JSON.stringify(row)}\n`).join(''));
}

/** Collects the rows without what stays as it is. */
function readOutcomes(answer: Response, rows: SyncRow[]): Promise<SyncSummary> {
  return readStreamedRows<SyncRow, SyncSummary>(answer, (row) => {
    if (row.outcome !== 'existing' && row.outcome !== 'skipped') rows.push(row);
  });
}

/** `watchlist.yaml:12:5: already_watched: …`, one line each. */
function formatFailures(file: string, watchlist: WatchlistFile, rows: readonly SyncRow[]): string {
  const failed = rows.filter(({ outcome }) => outcome === 'failed');
  const lines = failed.map(({ line, domain, code, message }) => {
    const { position } = watchlist.rows[(line ?? 0) - 1] ?? { position: null };
    return `${file}:${position?.line ?? 0}:${position?.col ?? 0}: ${domain ?? ''} ${code ?? ''}: ${message ?? ''}`;
  });
  return lines.join('\n');
}
