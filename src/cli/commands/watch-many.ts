import type { ChangeManyBody, ManyEntries } from '#client';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { createInterface } from 'node:readline/promises';
import { apiCommand, type ApiOptions, callApi, readMessages } from '../api-client.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { createProgress, parseWholeNumber, pluralize, print, toPrintableLines } from '../terminal.js';
import { addFilters, type FilterOptions, notifyCurrentOption, toFilterQuery } from './entry-filters.js';

export interface ManyOptions extends ApiOptions, FilterOptions {
  readonly all?: true;
  readonly dryRun?: true;
  readonly yes?: true;
}

interface SetOptions extends ManyOptions {
  readonly interval?: number;
  readonly window?: number;
  readonly addTag?: string[];
  readonly removeTag?: string[];
  readonly pause?: true;
  readonly resume?: true;
  /** false removes the note. */
  readonly note?: string | false;
  readonly setPurpose?: ChangeManyBody['purpose'];
  readonly remind?: number[] | null;
  readonly fields?: ChangeManyBody;
  readonly notifyCurrent?: true;
}

/**
 * How many of the matching names are done. The service sends a line with these counts after each database transaction.
 */
interface SentProgress {
  readonly done: number;
  readonly matched: number;
}

const NDJSON = 'application/x-ndjson';

export function set(): Command {
  return addManyOptions(apiCommand('set'))
    .description('change all names that match filters')
    .option('--interval <minutes>', 'longest time between two checks', parseWholeNumber())
    .option('--window <days>', 'so long before its expiry it is expiring', parseWholeNumber())
    .option('--add-tag <tag...>', 'tags that each name gains')
    .option('--remove-tag <tag...>', 'tags that each name loses')
    .option('--pause', 'stop checking them, and keep their entries')
    .addOption(new Option('--resume', 'check paused names again').conflicts('pause'))
    .option('--note <text>', 'for people')
    .option('--no-note', 'without a note')
    .addOption(new Option('--set-purpose <purpose>', 'what they are wanted for').choices(['own', 'acquire', 'monitor']))
    .option('--remind <days>', 'days before the expiry, such as 90,30,7; none; default', parseRemindDays)
    .option('--fields <json>', 'other fields of the API, such as {"expected":{"locked":true}}', parseFields)
    .addOption(notifyCurrentOption())
    .action((options: SetOptions) => actOnMany('PATCH', options, toChange(options)));
}

export function addManyOptions(command: Command): Command {
  return addFilters(command)
    .option('--all', 'all names, instead of filters')
    .option('--dry-run', 'show what would happen, and write nothing')
    .option('--yes', 'do not ask');
}

export function isMany(options: ManyOptions): boolean {
  return options.all !== undefined || toFilterQuery(options, {}).size > 0;
}

/**
 * Changes or removes many entries. The service refuses if the number of matching names has changed since the preview.
 */
export async function actOnMany(
  method: 'PATCH' | 'DELETE',
  options: ManyOptions,
  change?: ChangeManyBody,
): Promise<void> {
  const { json, all, dryRun, yes, ...connection } = options;
  if (!isMany(options)) throw new CommandError(EXIT.usage, 'give a filter such as --tag, or --all');
  const send = (others: Readonly<Record<string, string>>, accept: string) => {
    const query = toFilterQuery(options, { ...(all && { all: 'true' }), ...others });
    const request = { method, headers: { accept }, timeoutMs: null, ...(change && { json: change }) };
    return callApi(`/v1/watchlist?${query.toString()}`, connection, request);
  };
  const preview = (await (await send({ dry_run: 'true' }, 'application/json')).json()) as ManyEntries;
  if (dryRun || countWritten(preview) === 0) {
    print(json, preview, toLines(preview));
    if (!dryRun && preview.refused > 0) throw new CommandError(EXIT.refused, '');
    return;
  }
  if (!yes) await confirm(preview);
  const progress = await createProgress(preview.matched, 'names');
  let done: ManyEntries | null = null;
  try {
    const answer = await send({ expect: String(preview.matched) }, NDJSON);
    for await (const message of readMessages<SentProgress | ManyEntries>(answer)) {
      if ('done' in message) progress.update(message.done);
      else done = message;
    }
  } finally {
    progress.end();
  }
  if (done === null)
    throw new CommandError(EXIT.failed, 'the service ended its answer too early: repeat the command, that is safe');
  print(json, done, toLines(done));
  if (done.refused > 0) throw new CommandError(EXIT.refused, '');
}

/**
 * Shows the preview and asks whether to continue.
 * @throws CommandError if there is no terminal, or the person does not agree
 */
async function confirm(preview: ManyEntries): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new CommandError(EXIT.usage, `${toLines(preview).join('\n')}\nnothing was written: repeat it with --yes`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const reply = await terminal.question(`${toPrintableLines(toLines(preview).join('\n'))}\nDo it? [y/N] `);
  terminal.close();
  if (!/^y(es)?$/i.test(reply.trim())) throw new CommandError(EXIT.usage, 'nothing was written');
}

function countWritten({ changed = 0, removed = 0 }: ManyEntries): number {
  return changed + removed;
}

function toLines({
  dry_run,
  matched,
  changed,
  removed,
  unchanged,
  refused,
  gone,
  refusals,
  first,
}: ManyEntries): string[] {
  const act = removed === undefined ? 'changed' : 'removed';
  const written = changed ?? removed ?? 0;
  const counts = [
    `${written} ${dry_run ? `would be ${act}` : act}`,
    ...(unchanged > 0 ? [`${unchanged} as they are`] : []),
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(gone > 0 ? [`${gone} no longer match`] : []),
  ];
  const reasons = refusals.map(({ code, message, entries, first: names }) => {
    return `refused: ${nameSome(names, entries)}: ${code}: ${message}`;
  });
  const named = written > 0 ? [`${dry_run ? `would be ${act}` : act}: ${nameSome(first, written)}`] : [];
  const note = dry_run ? ' (nothing was written)' : '';
  return [
    ...named,
    ...reasons,
    `${pluralize(matched, 'name')} ${matched === 1 ? 'matches' : 'match'}: ${counts.join(', ')}${note}`,
  ];
}

function nameSome(names: readonly string[], all: number): string {
  const others = all - names.length;
  return `${names.join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
}

function toChange({
  interval,
  window,
  addTag,
  removeTag,
  pause,
  resume,
  note,
  setPurpose,
  remind,
  fields,
  notifyCurrent,
}: SetOptions): ChangeManyBody {
  const change = {
    ...fields,
    ...(interval !== undefined && { interval_minutes: interval }),
    ...(window !== undefined && { expiring_window_days: window }),
    ...(addTag && { add_tags: addTag }),
    ...(removeTag && { remove_tags: removeTag }),
    ...((pause ?? resume) && { paused: pause === true }),
    ...(note !== undefined && { note: note === false ? null : note }),
    ...(setPurpose && { purpose: setPurpose }),
    ...(remind !== undefined && { remind_days: remind }),
  };
  if (Object.keys(change).length === 0) throw new CommandError(EXIT.usage, 'say what to change, such as --interval 60');
  return { ...change, ...(notifyCurrent && { notify_current: true }) };
}

/** Parses the days before expiry on which to remind. Returns null for `default`, which means the default days. */
function parseRemindDays(text: string): number[] | null {
  if (text === 'default') return null;
  return text === 'none' ? [] : text.split(',').map(parseWholeNumber(365));
}

function parseFields(text: string): ChangeManyBody {
  try {
    const fields: unknown = JSON.parse(text);
    if (typeof fields === 'object' && fields !== null && !Array.isArray(fields)) return fields;
  } catch {
    // the error below also covers invalid JSON
  }
  throw new InvalidArgumentError('It must be JSON such as {"expected":{"locked":true}}.');
}
