import type { Import } from '#client';
import { type Command, Option } from 'commander';
import { print, readInput, createProgress, pluralize } from '../terminal.js';
import { callApi, type ApiOptions, apiCommand, readStreamedRows } from '../api-client.js';
import { CommandError, EXIT } from '../exit-codes.js';

interface Options extends ApiOptions {
  readonly dryRun?: boolean;
  readonly format?: 'csv' | 'ndjson';
}
interface ImportRow {
  readonly line: number;
  readonly domain: string | null;
  readonly outcome: 'created' | 'existing' | 'failed';
  readonly code?: string;
  readonly message?: string;
}

export function importCommand(): Command {
  return apiCommand('import')
    .description('watch every name of a CSV or NDJSON file; exits with 5 when a line was refused')
    .argument('<file>', '- is standard input')
    .option('--dry-run', 'try it, and write nothing')
    .addOption(new Option('--format <format>', 'by the name of the file unless given').choices(['csv', 'ndjson']))
    .action(async (file: string, { json, dryRun = false, format, ...connection }: Options) => {
      const body = await readInput(file);
      const isLines = format === undefined ? /\.(ndjson|jsonl)$/i.test(file) : format === 'ndjson';
      const type = isLines ? 'application/x-ndjson' : 'text/csv';
      const headers = { 'content-type': type, accept: 'application/x-ndjson' };
      const path = `/v1/watchlist/import${dryRun ? '?dry_run=true' : ''}`;
      const answer = await callApi(path, connection, { method: 'POST', body, headers, timeoutMs: null });
      const summary = await readResults(answer, countLines(body));
      print(json, summary, [formatSummary(summary)]);
      if (summary.failed > 0) throw new CommandError(EXIT.refused, '');
    });
}

/** Rejected lines are reported on stderr as they come; the summary is last. */
async function readResults(answer: Response, lines: number): Promise<Import> {
  const progress = await createProgress(lines);
  try {
    return await readStreamedRows<ImportRow, Import>(answer, ({ line, domain, outcome, code, message }) => {
      progress.update(line);
      if (outcome === 'failed') progress.log(`line ${line}: ${domain ?? ''} ${code}: ${message}`);
    });
  } finally {
    progress.end();
  }
}

function formatSummary({ dry_run, total, created, existing, failed }: Import): string {
  const [made, note] = dry_run ? ['would be new', ' (nothing was written)'] : ['new', ''];
  return `${pluralize(total, 'line')}: ${created} ${made}, ${existing} already watched, ${failed} refused${note}`;
}

function countLines(body: Buffer): number {
  let lines = 0;
  for (let at = body.indexOf(10); at >= 0; at = body.indexOf(10, at + 1)) lines += 1;
  return lines;
}
