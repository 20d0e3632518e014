import { isUtf8 } from 'node:buffer';
import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { DomainError } from '../../kernel/domain-error.js';
import { InvalidRequest } from '../../platform/http/errors/invalid-request.js';
import { NDJSON } from '../../platform/http/request.js';
import { StrictValidationPipe } from '../../platform/http/validation/strict-validation.pipe.js';
import type { ParsedLine } from './import-lines.js';
import { ImportedRow, toEntrySettings } from '../entries/entry-settings.dto.js';
import { isColumn, parseCells, READ_ONLY_COLUMNS, WRITABLE_COLUMNS } from './csv-cells.js';
import { DEPTH_LIMIT, isTooDeep } from '../../platform/http/validation/json-depth.js';

export const CSV = 'text/csv';

/** Does not count the header line of a CSV. */
const MAX_LINES = 100_000;
/** Yields to the event loop after so many lines, so that other requests and database replies are handled. */
const YIELD_EVERY_LINES = 25;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

const validation = new StrictValidationPipe();
const ROW_METADATA = { type: 'body', metatype: ImportedRow } as const;

/**
 * Validates each line like the body of a new entry.
 * @throws InvalidRequest or payload_too_large for the file as a whole, before any line is yielded
 */
export async function* readImportLines(file: Buffer, mediaType: string): AsyncGenerator<ParsedLine, void, void> {
  if (!isUtf8(file)) throw InvalidRequest.malformed('The file is not valid UTF-8.');
  const content = file.subarray(0, 3).equals(BYTE_ORDER_MARK) ? file.subarray(3) : file;
  rejectTooManyLines(content, mediaType);
  const rows = mediaType === CSV ? parseCsv(content) : parseNdjson(content);
  let read = 0;
  for (const row of rows) {
    yield await validateRow(row);
    if ((read += 1) % YIELD_EVERY_LINES === 0) await new Promise(setImmediate);
  }
  if (read === 0 && mediaType === NDJSON) throw InvalidRequest.malformed('The file is empty.');
}

function rejectTooManyLines(content: Buffer, mediaType: string): void {
  let lines = content.length === 0 || content.at(-1) === LF ? 0 : 1;
  for (let at = content.indexOf(LF); at >= 0; at = content.indexOf(LF, at + 1)) lines += 1;
  if (lines - (mediaType === CSV ? 1 : 0) > MAX_LINES)
    throw new DomainError('payload_too_large', `A file may have at most ${MAX_LINES} lines.`);
}

async function validateRow(row: ParsedRow): Promise<ParsedLine> {
  const { line } = row;
  if ('fault' in row) return { line, domain: null, refusal: InvalidRequest.malformed(row.fault) };
  const domain = readDomain(row.fields);
  try {
    const body = (await validation.transform(row.fields, ROW_METADATA)) as ImportedRow;
    return { line, domain: body.domain, settings: toEntrySettings(body) };
  } catch (error) {
    if (error instanceof InvalidRequest) return { line, domain, refusal: error };
    throw error;
  }
}

function readDomain({ domain }: Readonly<Record<string, unknown>>): string | null {
  return typeof domain === 'string' ? domain.slice(0, 253) : null;
}

/** The fields of a line, by their API names, or the reason why it is invalid. */
type ParsedRow = { readonly line: number } & (
  { readonly fields: Readonly<Record<string, unknown>> } | { readonly fault: string }
);

/**
 * The first line names the columns: `domain`, and any others of an export, in any order. An empty cell counts as omitted.
 * @throws InvalidRequest for an invalid first line, before any row
 */
export function* parseCsv(file: Buffer): Generator<ParsedRow, void, void> {
  const records = splitCsvRecords(file);
  const columns = parseHeader(records.next().value);
  for (const record of records)
    yield 'fault' in record ? record : { line: record.line, ...toFields(columns, parseRecord(record.text)) };
}

function parseHeader(header: RawRecord | void) {
  const cells = header && 'text' in header ? parseRecord(header.text) : null;
  const names = cells?.map((cell) => cell.trim()) ?? [];
  const columns = names.filter(isColumn);
  const isValid = columns.includes('domain') && new Set(columns).size === names.length;
  if (isValid) return columns;
  throw InvalidRequest.malformed(
    `The first line must name the columns, once each: domain, and any of ${WRITABLE_COLUMNS.join(',')}.`,
  );
}

/** Returns the cells of a record; null where quotes do not enclose whole cells. */
function parseRecord(record: string): readonly string[] | null {
  try {
    const [cells = []] = parse(record, { record_delimiter: ['\r\n', '\n'] });
    return cells;
  } catch (error) {
    if (error instanceof CsvError) return null;
    throw error;
  }
}

function toFields(
  columns: ReturnType<typeof parseHeader>,
  cells: readonly string[] | null,
): { fields: Record<string, unknown> } | { fault: string } {
  if (!cells) return { fault: 'The line is not valid CSV: quotes enclose whole cells.' };
  if (cells.slice(columns.length).some((cell) => cell !== ''))
    return { fault: 'The line has more cells than the first one.' };
  return { fields: parseCells(columns, cells) };
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const UNCLOSED_QUOTE = 'A quoted cell is not closed.';

/**
 * Splits a CSV file (RFC 4180) into records, without parsing them: one per line, except for line feeds inside quoted
 * cells. An unclosed quote invalidates its own line only; reading resumes at the next line. Blank lines are skipped.
 */
export function* splitCsvRecords(file: Buffer): Generator<RawRecord, void, void> {
  let line = 1;
  for (let start = 0; start < file.length;) {
    const { end, fault, lines } = scanRecord(file, start);
    if (fault !== null) yield { line, fault };
    else {
      const text = decodeText(file, start, end);
      if (text.trim() !== '') yield { line, text };
    }
    line += lines;
    start = end + 1;
  }
}

interface RecordExtent {
  /** Index after its last byte. */
  readonly end: number;
  /** Number of physical lines. */
  readonly lines: number;
  readonly fault: string | null;
}

function scanRecord(file: Buffer, start: number): RecordExtent {
  let isQuoted = false;
  let isCellStart = true;
  let lines = 1;
  for (let at = start; at < file.length; at += 1) {
    if (at - start >= MAX_RECORD_BYTES) return faultyLine(file, start, isQuoted ? UNCLOSED_QUOTE : TOO_LONG);
    const byte = file[at];
    if (isQuoted) {
      if (byte === LF) lines += 1;
      if (byte === QUOTE && file[at + 1] === QUOTE) at += 1;
      else if (byte === QUOTE) isQuoted = false;
    } else if (byte === LF) return { end: at, lines, fault: null };
    else {
      isQuoted = byte === QUOTE && isCellStart;
      isCellStart = byte === COMMA;
    }
  }
  return isQuoted ? faultyLine(file, start, UNCLOSED_QUOTE) : { end: file.length, lines, fault: null };
}

function faultyLine(file: Buffer, start: number, fault: string): RecordExtent {
  return { end: findLineEnd(file, start), lines: 1, fault };
}

const IGNORED_FIELDS: ReadonlySet<string> = new Set(READ_ONLY_COLUMNS);

/** One JSON object per line. Blank lines are skipped; null counts as omitted, as in an export. */
export function* parseNdjson(file: Buffer): Generator<ParsedRow, void, void> {
  let line = 1;
  for (let start = 0; start < file.length; line += 1) {
    const end = findLineEnd(file, start);
    if (end - start > MAX_RECORD_BYTES) yield { line, fault: TOO_LONG };
    else {
      const text = decodeText(file, start, end);
      if (text.trim() !== '') yield { line, ...parseLine(text) };
    }
    start = end + 1;
  }
}

function parseLine(text: string): { fields: Record<string, unknown> } | { fault: string } {
  if (isTooDeep(text)) return { fault: `The line is nested deeper than ${DEPTH_LIMIT} levels.` };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { fault: 'The line must be a JSON object.' };
    const fields = Object.entries(value).filter(([name, field]) => field !== null && !IGNORED_FIELDS.has(name));
    return { fields: Object.fromEntries(fields) };
  } catch (error) {
    if (error instanceof SyntaxError) return { fault: 'The line is not valid JSON.' };
    throw error;
  }
}

/** An unparsed record of a file; `line` is its first physical line, counted from 1. */
type RawRecord = { readonly line: number } & ({ readonly text: string } | { readonly fault: string });

/** Longer than a line with every field at its limit and every character escaped. */
const MAX_RECORD_BYTES = 32 * 1_024;
const TOO_LONG = `A line may have at most ${MAX_RECORD_BYTES / 1_024} KiB.`;

const LF = 0x0a;
const CR = 0x0d;

/** The text from `start` to `end`, without the carriage return of a CRLF. */
function decodeText(file: Buffer, start: number, end: number): string {
  const last = end > start && file[end - 1] === CR ? end - 1 : end;
  return file.toString('utf8', start, last);
}

/** The end of the line at `start`: its line feed, or the end of the file. */
function findLineEnd(file: Buffer, start: number): number {
  const end = file.indexOf(LF, start);
  return end < 0 ? file.length : end;
}
