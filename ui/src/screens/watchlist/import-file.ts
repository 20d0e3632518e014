import { type Client, type Import, importWatchlist, type Problem } from '../../../../clients/typescript/src/index.js';
import { call, type Failure, type Outcome, toFailure } from '../../api/call.js';
import { readJsonLines } from '../../api/json-lines.js';
import { splitPasted } from '../check/pasted-names.js';
import type { ChosenColumns } from './choose-column.js';

export interface ImportSource {
  readonly text: string;
  readonly mediaType: 'text/csv' | 'application/x-ndjson';
  /** The file to send unchanged instead of the text, whatever its encoding. */
  readonly file?: File;
  /** The column of each field. If missing, the service recognizes columns by their names. */
  readonly columns?: ChosenColumns;
  /** Whether the day or the month comes first in dates. If missing, other dates of the file decide. */
  readonly dateFormat?: 'dmy' | 'mdy';
  /** Whether to update entries of names that are watched already. */
  readonly updatesExisting?: boolean;
  /** Whether to tell channels what is true already. */
  readonly notifyCurrent?: boolean;
}

const LINE_END = /\r\n|\r|\n/;
const MARKS = { fffe: 'utf-16le', feff: 'utf-16be' } as const;

export async function readSource(file: File): Promise<ImportSource> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const mark = [...bytes.subarray(0, 2)].map((byte) => byte.toString(16)).join('');
  const encoding = mark === 'fffe' || mark === 'feff' ? MARKS[mark] : 'utf-8';
  const source = toImportSource(file.name, new TextDecoder(encoding).decode(bytes));
  return source.mediaType === 'text/csv' ? { ...source, file } : source;
}

/** The result of one line, sent as soon as that line is imported. */
export interface LineOutcome {
  readonly line: number;
  readonly outcome: 'created' | 'changed' | 'existing' | 'failed';
  /** The id of the entry. */
  readonly id?: string | null;
  /** Why the line was refused. */
  readonly message?: string;
  /** The registrable name inside a refused line. */
  readonly registrable_domain?: string;
}

type Message = LineOutcome | Import | Problem;

type ImportResult = { readonly ok: true; readonly summary: Import } | { readonly ok: false; readonly failure: Failure };

/** Recognizes a file in a format of the API. Turns a list of names into JSON lines. */
export function toImportSource(fileName: string, text: string): ImportSource {
  const firstLine = text.trimStart().split(LINE_END, 1)[0] ?? '';
  if (firstLine.startsWith('{')) return { text, mediaType: 'application/x-ndjson' };
  const hasCells =
    /[;\t|]|^"?sep=/i.test(firstLine) || /(^|,)\s*"?(domain|fqdn)[ _-]?(name)?"?\s*(,|$)/i.test(firstLine.trim());
  const isCsv = /\.csv$/i.test(fileName) || hasCells;
  return isCsv ? { text, mediaType: 'text/csv' } : toJsonLines(splitPasted(text), {});
}

export function toJsonLines(names: readonly string[], settings: object): ImportSource {
  const text = names.map((domain) => `${JSON.stringify({ domain, ...settings })}\n`).join('');
  return { text, mediaType: 'application/x-ndjson' };
}

/** Counts the lines with a name, without the header of a CSV file. */
export function countLines({ text, mediaType }: ImportSource): number {
  const lines = text.split(LINE_END).filter((line) => line.trim() !== '').length;
  return mediaType === 'text/csv' ? Math.max(0, lines - 1) : lines;
}

/** Previews an import. Returns the columns and first lines, and writes nothing. */
export function tryFile(client: Client, source: ImportSource): Promise<Outcome<Import>> {
  return send(client, source, { accept: 'application/json', isTried: true }) as Promise<Outcome<Import>>;
}

/** Returns the refused lines of a CSV with their reasons, so that people can correct and import them again. */
export function findRefusedLines(client: Client, source: ImportSource): Promise<Outcome<Blob>> {
  return send(client, source, { accept: 'text/csv', isTried: true }) as Promise<Outcome<Blob>>;
}

const PARSED_AS = { 'application/json': 'json', 'text/csv': 'blob', 'application/x-ndjson': 'stream' } as const;

function send(
  client: Client,
  { text, mediaType, file, columns, dateFormat, updatesExisting, notifyCurrent }: ImportSource,
  { accept, isTried }: { readonly accept: keyof typeof PARSED_AS; readonly isTried: boolean },
): Promise<Outcome<unknown>> {
  const query = {
    ...(isTried && { dry_run: true }),
    ...(columns && { columns: JSON.stringify(columns) }),
    ...(dateFormat && { date_format: dateFormat }),
    ...(updatesExisting && { existing: 'update' as const }),
    ...(notifyCurrent && { notify_current: true }),
  };
  const headers = { 'Content-Type': mediaType, Accept: accept };
  const body = (file ?? text) as string; // fetch sends a file too
  return call<unknown>(importWatchlist({ client, body, query, headers, parseAs: PARSED_AS[accept] }));
}

/**
 * Imports a file. The service streams a result for each line.
 * @param onLine called with each result and the number of finished lines
 */
export async function importFile(
  client: Client,
  source: ImportSource,
  onLine: (line: LineOutcome, done: number) => void,
): Promise<ImportResult> {
  const outcome = await send(client, source, { accept: 'application/x-ndjson', isTried: false });
  if (!outcome.ok) return outcome;
  let done = 0;
  try {
    for await (const message of readJsonLines<Message>(outcome.data as ReadableStream<Uint8Array<ArrayBuffer>>)) {
      if ('total' in message) return { ok: true, summary: message };
      if ('request_id' in message) return { ok: false, failure: toFailure(message) };
      onLine(message, (done += 1));
    }
  } catch {
    // The connection broke, so the failure below applies.
  }
  return { ok: false, failure: interrupted(done) };
}

function interrupted(done: number): Failure {
  const detail = `${done.toLocaleString('en')} lines are done. Import the file again: what is there already stays as it is.`;
  return { title: 'The import was interrupted', detail, code: null, requestId: null, isRetryable: true, fields: [] };
}
