import { type Command, Option } from 'commander';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { callApi, type ApiOptions, apiCommand } from '../api-client.js';
import { addFilters, type FilterOptions, toFilterQuery } from './entry-filters.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { toFileError } from '../terminal.js';

interface Options extends ApiOptions, FilterOptions {
  readonly format?: 'csv' | 'ndjson';
  readonly output?: string;
}

export function exportCommand(): Command {
  return addFilters(apiCommand('export'))
    .description('write the watchlist, or the entries that match, as CSV or NDJSON')
    .addOption(new Option('--format <format>', 'csv; with --json, ndjson').choices(['csv', 'ndjson']))
    .option('--output <file>', 'a new file instead of standard output')
    .action(async (options: Options) => {
      const { json = false, format = json ? 'ndjson' : 'csv', output } = options;
      const query = toFilterQuery(options, { format });
      const { body } = await callApi(`/v1/watchlist/export?${query.toString()}`, options, { timeoutMs: null });
      const file = Readable.fromWeb(body as ReadableStream<Uint8Array>);
      if (output === undefined) return pipeline(file, process.stdout, { end: false });
      await writeNewFile(file, output);
    });
}

async function writeNewFile(file: Readable, output: string): Promise<void> {
  try {
    await pipeline(file, createWriteStream(output, { flags: 'wx' })); // what is there is never overwritten
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    throw syscall === undefined ? new CommandError(EXIT.failed, message) : toFileError(output, error);
  }
}
