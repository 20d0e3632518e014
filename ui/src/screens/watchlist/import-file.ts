import { type Client, type Import, importWatchlist, type Problem } from '../../../../clients/typescript/src/index.js';
import { call, type Failure, toFailure } from '../../api/call.js';
import { readJsonLines } from '../../api/json-lines.js';
import { splitPasted } from '../check/pasted-names.js';

export interface ImportSource {
  readonly text: string;
  readonly mediaType: 'text/csv' | 'application/x-ndjson';
}

/** What the service says about a line as soon as it is written. */
export interface LineOutcome {
  readonly line: number;
  readonly outcome: 'created' | 'existing' | 'failed';
  /** Of the entry. */
  readonly id?: string | null;
  /** Why it was refused. */
  readonly message?: string;
  /** The name that can be registered, in what cannot. */
  readonly registrable_domain?: string;
}

type Message = LineOutcome | Import | Problem;

type ImportResult = { readonly ok: true; readonly summary: Import } | { readonly ok: false; readonly failure: Failure };

/** A file of the formats of the API, or a list with one name per line, which becomes JSON lines. */
export function toImportSource(fileName: string, text: string): ImportSource {
  const firstLine = text.trimStart().split('\n', 1)[0] ?? '';
  if (firstLine.startsWith('{')) return { text, mediaType: 'application/x-ndjson' };
  const isCsv = /\.csv$/i.test(fileName) || /(^|,)\s*"?domain"?\s*(,|$)/i.test(firstLine.trim());
  return isCsv ? { text, mediaType: 'text/csv' } : toJsonLines(splitPasted(text), {});
}

export function toJsonLines(names: readonly string[], settings: object): ImportSource {
  const text = names.map((domain) => `${JSON.stringify({ domain, ...settings })}\n`).join('');
  return { text, mediaType: 'application/x-ndjson' };
}

/** Lines that have a name: not the first one of a CSV, which names the columns. */
export function countLines({ text, mediaType }: ImportSource): number {
  const lines = text.split('\n').filter((line) => line.trim() !== '').length;
  return mediaType === 'text/csv' ? Math.max(0, lines - 1) : lines;
}

/**
 * Imports a file; the service answers line by line while it works.
 * @param onLine with what became of a line, and the number of lines that are done
 */
export async function importFile(
  client: Client,
  { text, mediaType }: ImportSource,
  onLine: (line: LineOutcome, done: number) => void,
): Promise<ImportResult> {
  const headers = { 'Content-Type': mediaType, Accept: 'application/x-ndjson' };
  const outcome = await call<unknown>(importWatchlist({ client, body: text, headers, parseAs: 'stream' }));
  if (!outcome.ok) return outcome;
  let done = 0;
  try {
    for await (const message of readJsonLines<Message>(outcome.data as ReadableStream<Uint8Array<ArrayBuffer>>)) {
      if ('total' in message) return { ok: true, summary: message };
      if ('request_id' in message) return { ok: false, failure: toFailure(message) };
      onLine(message, (done += 1));
    }
  } catch {
    // The connection broke: what is said below is true then, too.
  }
  return { ok: false, failure: interrupted(done) };
}

/** Importing a file again changes nothing that was imported before. */
function interrupted(done: number): Failure {
  const detail = `${done.toLocaleString('en')} lines are done. Import the file again: what is there already stays as it is.`;
  return { title: 'The import was interrupted', detail, code: null, requestId: null, isRetryable: true, fields: [] };
}
