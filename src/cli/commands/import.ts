import { type Command, Option } from 'commander';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { print } from '../run-admin-command.js';
import { ask, type Connection, failure, type ProblemBody } from '../api/api-client.js';
import { connected } from '../api/api-command.js';
import { CommandFailed, EXIT } from '../exit-codes.js';
import { contentOf } from '../terminal/files.js';
import { progressOver } from '../terminal/progress.js';
import { counted } from '../terminal/table.js';

interface Options extends Connection {
  readonly json?: boolean;
  readonly dryRun?: boolean;
  readonly format?: 'csv' | 'ndjson';
}
interface Row {
  readonly line: number;
  readonly domain: string | null;
  readonly outcome: 'created' | 'existing' | 'failed';
  readonly code?: string;
  readonly message?: string;
}
interface Sum {
  readonly dry_run: boolean;
  readonly total: number;
  readonly created: number;
  readonly existing: number;
  readonly failed: number;
}
type Told = Row | Sum | (ProblemBody & { readonly status: number });

export function importFile(): Command {
  return connected('import')
    .description('watch every name of a CSV or NDJSON file; exits with 5 when a line was refused')
    .argument('<file>', '- is standard input')
    .option('--dry-run', 'try it, and write nothing')
    .addOption(new Option('--format <format>', 'by the name of the file unless given').choices(['csv', 'ndjson']))
    .action(async (file: string, { json, dryRun = false, format, ...connection }: Options) => {
      const body = contentOf(file);
      const isLines = format === undefined ? /\.(ndjson|jsonl)$/i.test(file) : format === 'ndjson';
      const type = isLines ? 'application/x-ndjson' : 'text/csv';
      const headers = { 'content-type': type, accept: 'application/x-ndjson' };
      const path = `/v1/watchlist/import${dryRun ? '?dry_run=true' : ''}`;
      const answer = await ask(path, connection, { method: 'POST', body, headers, patience: null });
      const sum = await follow(answer, linesIn(body));
      print(json, sum, [sentence(sum)]);
      if (sum.failed > 0) throw new CommandFailed(EXIT.refused, '');
    });
}

/** What is refused is told on the way, on stderr; the sum comes last. */
async function follow(answer: Response, lines: number): Promise<Sum> {
  const progress = await progressOver(lines);
  try {
    const body = Readable.fromWeb(answer.body as ReadableStream<Uint8Array>);
    for await (const text of createInterface({ input: body, crlfDelay: Infinity })) {
      const told = JSON.parse(text) as Told;
      if ('created' in told) return told;
      if (!('line' in told)) throw failure(told, told.status);
      progress.reach(told.line);
      if (told.outcome === 'failed')
        progress.say(`line ${told.line}: ${told.domain ?? ''} ${told.code}: ${told.message}`);
    }
  } finally {
    progress.end();
  }
  throw new CommandFailed(EXIT.failed, 'the service ended its answer too early: import the file again, that is safe');
}

function sentence({ dry_run, total, created, existing, failed }: Sum): string {
  const [made, note] = dry_run ? ['would be new', ' (nothing was written)'] : ['new', ''];
  return `${counted(total, 'line')}: ${created} ${made}, ${existing} already watched, ${failed} refused${note}`;
}

function linesIn(body: Buffer): number {
  let lines = 0;
  for (let at = body.indexOf(10); at >= 0; at = body.indexOf(10, at + 1)) lines += 1;
  return lines;
}
