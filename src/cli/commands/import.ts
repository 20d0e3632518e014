import type { Import } from '#client';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { print, readInput, createProgress, pluralize, saveAnswer } from '../terminal.js';
import { callApi, type ApiOptions, apiCommand, readStreamedRows } from '../api-client.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { notifyCurrentOption } from './entry-filters.js';
import { actOnMany } from './watch-many.js';

interface Options extends ApiOptions {
  readonly dryRun?: boolean;
  readonly format?: 'csv' | 'ndjson';
  readonly map?: Columns;
  readonly dateFormat?: 'dmy' | 'mdy';
  readonly refused?: string;
  readonly update?: true;
  readonly takeBack?: string;
  readonly notifyCurrent?: true;
}
interface ImportRow {
  readonly line: number;
  readonly domain: string | null;
  readonly outcome: 'created' | 'changed' | 'existing' | 'failed';
  readonly code?: string;
  readonly message?: string;
  readonly column?: string;
}

/** The column of each field. Tags and name servers may have several columns. */
type Columns = Readonly<Record<string, string | readonly string[]>>;

const NDJSON = 'application/x-ndjson';

/** Parses a text such as `domain=Host`. Splits at the first `=`, because a column's name may contain `=`. */
function addColumn(text: string, before: Columns = {}): Columns {
  const [field = '', ...column] = text.split('=');
  if (column.length === 0) throw new InvalidArgumentError('It must be such as domain=Host.');
  const name = column.join('=');
  return { ...before, [field]: before[field] === undefined ? name : [before[field], name].flat() };
}

export function importCommand(): Command {
  return apiCommand('import')
    .argument('[file]', '- is standard input')
    .option('--dry-run', 'try it, and write nothing')
    .addOption(new Option('--format <format>', 'by the name of the file unless given').choices(['csv', 'ndjson']))
    .option('--map <field=column>', 'which column of the CSV has a field, such as domain=Host; repeat it', addColumn)
    .addOption(
      new Option('--date-format <order>', 'whether dates such as 1/5/2027 begin with the day or the month').choices([
        'dmy',
        'mdy',
      ]),
    )
    .option('--update', 'give names that are watched already what their lines say')
    .option('--take-back <import>', 'remove what an import added, by its import_id; without a file')
    .addOption(notifyCurrentOption())
    .option('--refused <file>', 'write the refused lines of the CSV to this file, to correct and import them')
    .action(async (file: string | undefined, options: Options) => {
      const { json, dryRun = false, format, map, refused, update, dateFormat, takeBack, ...more } = options;
      const { notifyCurrent, ...connection } = more;
      if ((file === undefined) === (takeBack === undefined))
        throw new CommandError(EXIT.usage, 'give a file, or --take-back with the import_id of an import');
      if (takeBack !== undefined)
        return actOnMany('DELETE', {
          ...connection,
          ...(json && { json }),
          ...(dryRun && { dryRun }),
          import: takeBack,
          yes: true,
        });
      if (file === undefined) return;
      const body = await readInput(file);
      const isLines = format === undefined ? /\.(ndjson|jsonl)$/i.test(file) : format === 'ndjson';
      const headers = { 'content-type': isLines ? NDJSON : 'text/csv' };
      const send = (dry_run: boolean, accept: string) => {
        const query = new URLSearchParams({
          dry_run: String(dry_run),
          ...(map && { columns: JSON.stringify(map) }),
          ...(update && { existing: 'update' }),
          ...(dateFormat && { date_format: dateFormat }),
          ...(notifyCurrent && { notify_current: 'true' }),
        });
        const request = { method: 'POST', body, headers: { ...headers, accept }, timeoutMs: null };
        return callApi(`/v1/watchlist/import?${query.toString()}`, connection, request);
      };
      const summary = await readResults(await send(dryRun, NDJSON), countLines(body));
      if (refused !== undefined && summary.failed > 0) await saveAnswer(await send(true, 'text/csv'), refused);
      print(json, summary, [...formatIgnored(summary), formatSummary(summary)]);
      if (json !== true && summary.import_id !== undefined)
        process.stderr.write(`to take it back: namewatch import --take-back ${summary.import_id}\n`);
      if (summary.failed > 0) throw new CommandError(EXIT.refused, '');
    });
}

/** How many refused lines are printed for each reason of a refusal. Further lines are only counted. */
const SHOWN_OF_A_REASON = 5;

/** Prints refused lines on stderr as they come. Returns the summary, which the service sends last. */
async function readResults(answer: Response, lines: number): Promise<Import> {
  const progress = await createProgress(lines);
  const reasons = new Map<string, number>();
  try {
    const summary = await readStreamedRows<ImportRow, Import>(answer, (row) => {
      const { line, domain, outcome, code, message, column } = row;
      progress.update(line);
      if (outcome !== 'failed') return;
      const place = column === undefined ? '' : `, column ${column}`;
      const reason = `${code}: ${message}`;
      const count = (reasons.get(reason + place) ?? 0) + 1;
      reasons.set(reason + place, count);
      if (count <= SHOWN_OF_A_REASON) progress.log(`line ${line}${place}: ${domain ?? ''} ${reason}`);
    });
    for (const [reason, count] of reasons)
      if (count > SHOWN_OF_A_REASON) progress.log(`${count - SHOWN_OF_A_REASON} more lines: ${reason}`);
    return summary;
  } finally {
    progress.end();
  }
}

function formatIgnored({ columns = [] }: Import): string[] {
  const ignored = columns.filter(({ field }) => field === null).map(({ name }) => name);
  return ignored.length === 0 ? [] : [`ignored: ${ignored.join(', ')}`];
}

function formatSummary({ dry_run, total, created, changed, existing, failed }: Import): string {
  const [made, note] = dry_run ? ['would be new', ' (nothing was written)'] : ['new', ''];
  const differing = changed === undefined ? '' : ` ${changed} ${dry_run ? 'would change' : 'changed'},`;
  return `${pluralize(total, 'line')}: ${created} ${made},${differing} ${existing} already watched, ${failed} refused${note}`;
}

function countLines(body: Buffer): number {
  return body.toString('latin1').match(/\r\n?|\n/g)?.length ?? 0;
}
