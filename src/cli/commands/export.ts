import { type Command, Option } from 'commander';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { callApi, type ApiOptions, apiCommand } from '../api-client.js';
import { addFilters, type FilterOptions, toFilterQuery } from './entry-filters.js';
import { saveAnswer } from '../terminal.js';

interface Options extends ApiOptions, FilterOptions {
  readonly format?: 'csv' | 'ndjson';
  readonly output?: string;
}

export function exportCommand(): Command {
  return addFilters(apiCommand('export'))
    .addOption(new Option('--format <format>', 'csv; with --json, ndjson').choices(['csv', 'ndjson']))
    .option('--output <file>', 'a new file instead of standard output')
    .action(async (options: Options) => {
      const { json = false, format = json ? 'ndjson' : 'csv', output } = options;
      const query = toFilterQuery(options, { format });
      const answer = await callApi(`/v1/watchlist/export?${query.toString()}`, options, { timeoutMs: null });
      if (output !== undefined) return saveAnswer(answer, output);
      await pipeline(Readable.fromWeb(answer.body as ReadableStream<Uint8Array>), process.stdout, { end: false });
    });
}
