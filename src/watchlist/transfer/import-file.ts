import { isUtf8 } from 'node:buffer';
import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { DomainError } from '../../kernel/domain-error.js';
import { InvalidRequest } from '../../platform/http/errors/invalid-request.js';
import { StrictValidationPipe } from '../../platform/http/validation/strict-validation.pipe.js';
import type { ImportOutcome, ParsedLine } from './import-lines.js';
import { ImportedRow, toEntrySettings } from '../entries/entry-settings.dto.js';
import { type Column, disarmFormula, parseCells, pointerOf, READ_ONLY_COLUMNS } from './csv-cells.js';
import {
  chooseColumns,
  type FileColumn,
  guessColumns,
  NoDomainColumn,
  rejectUnknownColumns,
} from './import-columns.js';
import { DEPTH_LIMIT, isTooDeep } from '../../platform/http/validation/json-depth.js';

export const CSV = 'text/csv';

/** Does not count the header line of a CSV. */
const MAX_LINES = 100_000;
/** Yields to the event loop after so many lines, so that other requests and database replies are handled. */
const YIELD_EVERY_LINES = 25;

const validation = new StrictValidationPipe();
const ROW_METADATA = { type: 'body', metatype: ImportedRow } as const;
const SHOWN_ROWS = 5;
const MAX_SHOWN_CELL = 200;

/** A file as it comes: in UTF-8, or UTF-16 with a byte-order mark; a CSV has any of four separators and any columns. */
export class ImportFile {
  /** Null until the first line is read, and for lines of JSON. */
  columns: readonly FileColumn[] | null = null;
  /** The cells of the first lines, as they are. */
  firstRows: readonly (readonly string[])[] = [];
  /** What was read and has no outcome yet: the cells of each line, and the field that was refused. */
  private readonly read = new Map<number, { readonly cells: readonly string[]; readonly pointer: string }>();

  /**
   * @param chosen the columns of the file by the fields that they are taken for; null: their names say it
   * @param isWholeTruth what the file leaves out is changed too, so that no column of it may be ignored unasked
   */
  constructor(
    private readonly file: Buffer,
    private readonly mediaType: string,
    private readonly chosen: ReadonlyMap<Column, string> | null,
    private readonly isWholeTruth = false,
  ) {}

  /**
   * Validates each line like the body of a new entry.
   * @throws InvalidRequest or payload_too_large for the file as a whole, before any line is yielded
   */
  async *lines(): AsyncGenerator<ParsedLine, void, void> {
    const content = toUtf8(this.file);
    rejectTooManyLines(content, this.mediaType);
    const rows = this.mediaType === CSV ? this.parseCsv(content) : parseNdjson(content);
    let count = 0;
    for (const row of rows) {
      const line = await validateRow(row);
      const [problem] = 'refusal' in line && line.refusal instanceof InvalidRequest ? line.refusal.fields : [];
      this.read.set(row.line, { cells: row.cells ?? [line.domain ?? ''], pointer: problem?.pointer ?? '' });
      yield line;
      if ((count += 1) % YIELD_EVERY_LINES === 0) await new Promise(setImmediate);
    }
    if (count === 0)
      throw InvalidRequest.malformed(this.columns ? 'The file has no line below its first one.' : 'The file is empty.');
  }

  /** Adds the column that is to blame, as the file calls it. */
  explain<Outcome extends ImportOutcome>(outcome: Outcome): Outcome & { column?: string } {
    if (outcome.line === null) return outcome;
    const { pointer } = this.take(outcome.line);
    const isAtFault = ({ field }: FileColumn) => field !== null && `${pointer}/`.startsWith(`${pointerOf(field)}/`);
    const column = outcome.outcome === 'failed' ? this.columns?.find(isAtFault) : undefined;
    return column ? { ...outcome, column: column.name } : outcome;
  }

  /** The first line of a file of refused lines, which can be corrected and imported again. */
  get refusedHeader(): string[] {
    return [...(this.columns?.map(({ name }) => name) ?? ['domain']), 'refused because'];
  }

  /** Returns the cells of a refused line with the reason behind them; null for any other. */
  toRefusedRow(outcome: ImportOutcome): string[] | null {
    if (outcome.line === null) return null;
    const { cells } = this.take(outcome.line);
    if (outcome.outcome !== 'failed') return null;
    const width = this.columns?.length ?? 1;
    const padded = Array.from({ length: width }, (_, at) => cells[at] ?? '');
    return [...padded.map(disarmFormula), `line ${outcome.line}: ${outcome.message}`];
  }

  private take(line: number) {
    const read = this.read.get(line) ?? { cells: [], pointer: '' };
    this.read.delete(line);
    return read;
  }

  private parseCsv(content: Buffer): Iterable<ParsedRow> {
    const { columns, firstRows, rows } = parseCsv(content, this.chosen);
    if (this.isWholeTruth && this.chosen === null) rejectUnknownColumns(columns);
    [this.columns, this.firstRows] = [columns, firstRows];
    return rows;
  }
}

/** A CSV whose first line was read. */
interface CsvFile {
  readonly columns: readonly FileColumn[];
  readonly firstRows: readonly (readonly string[])[];
  readonly rows: Iterable<ParsedRow>;
}

/**
 * The first line names the columns, in any order. An empty cell counts as omitted.
 * @throws InvalidRequest for an invalid first line
 */
export function parseCsv(content: Buffer, chosen: ReadonlyMap<Column, string> | null): CsvFile {
  const separator = findSeparator(content);
  const records = splitCsvRecords(content, separator);
  const header = records.next().value;
  const names = (header && 'text' in header ? parseRecord(header.text, separator) : null) ?? [];
  const columns = chosen ? chooseColumns(names, chosen) : guessColumns(names);
  const firstRows = readFirstRows(content, separator);
  if (!columns.some(({ field }) => field === 'domain')) throw new NoDomainColumn(columns, firstRows);
  return { columns, firstRows, rows: parseRows(records, columns, separator) };
}

/** Returns the cells of some lines, to show what the columns have. */
function readFirstRows(content: Buffer, separator: number): (readonly string[])[] {
  const rows: (readonly string[])[] = [];
  const records = splitCsvRecords(content, separator);
  records.next();
  for (const record of records) {
    const cells = 'text' in record ? parseRecord(record.text, separator) : null;
    if (cells && rows.push(cells.map((cell) => cell.slice(0, MAX_SHOWN_CELL))) === SHOWN_ROWS) break;
  }
  return rows;
}

const ENCODINGS = [
  { mark: Buffer.from([0xff, 0xfe]), name: 'utf-16le' },
  { mark: Buffer.from([0xfe, 0xff]), name: 'utf-16be' },
];
const UTF_8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
/** Of ZIP, in which spreadsheets come. */
const ARCHIVE_MARK = Buffer.from('PK\x03\x04', 'latin1');

/** @throws InvalidRequest for what is no text */
function toUtf8(file: Buffer): Buffer {
  const startsWith = (mark: Buffer) => file.subarray(0, mark.length).equals(mark);
  if (startsWith(ARCHIVE_MARK))
    throw InvalidRequest.malformed(
      'The file is a spreadsheet or an archive. Save the sheet as CSV (UTF-8), and import that.',
    );
  const encoding = ENCODINGS.find(({ mark }) => startsWith(mark));
  if (encoding) return decode(file, encoding.name);
  if (!isUtf8(file))
    throw InvalidRequest.malformed('The file is not valid UTF-8. Save it as CSV (UTF-8), and import that.');
  return startsWith(UTF_8_MARK) ? file.subarray(UTF_8_MARK.length) : file;
}

function decode(file: Buffer, encoding: string): Buffer {
  try {
    return Buffer.from(new TextDecoder(encoding, { fatal: true }).decode(file)); // without its mark
  } catch (error) {
    if (error instanceof TypeError) throw InvalidRequest.malformed('The file is not valid UTF-16.');
    throw error;
  }
}

function rejectTooManyLines(content: Buffer, mediaType: string): void {
  let lines = 0;
  for (let start = 0; start < content.length; start = findNextLine(content, findLineEnd(content, start))) lines += 1;
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
type ParsedRow = { readonly line: number; readonly cells?: readonly string[] } & (
  { readonly fields: Readonly<Record<string, unknown>> } | { readonly fault: string }
);

/** Returns the cells of a record; null where quotes do not enclose whole cells. */
function parseRecord(record: string, separator: number): readonly string[] | null {
  try {
    const delimiter = String.fromCharCode(separator);
    const [cells = []] = parse(record, { delimiter });
    return cells;
  } catch (error) {
    if (error instanceof CsvError) return null;
    throw error;
  }
}

function* parseRows(
  records: Iterable<RawRecord>,
  columns: readonly FileColumn[],
  separator: number,
): Generator<ParsedRow, void, void> {
  const fields = columns.map(({ field }) => field);
  for (const record of records) {
    if ('fault' in record) {
      yield { ...record, cells: [] };
      continue;
    }
    const { line, text } = record;
    const cells = parseRecord(text, separator);
    if (!cells) yield { line, cells: [text], fault: 'The line is not valid CSV: quotes enclose whole cells.' };
    else if (cells.slice(fields.length).some((cell) => cell !== ''))
      yield { line, cells, fault: 'The line has more cells than the first one.' };
    else yield { line, cells, fields: parseCells(fields, cells) };
  }
}

const SEPARATORS = [...',;\t|'].map((one) => one.charCodeAt(0));

/** Returns the one that the first line has most of. */
function findSeparator(file: Buffer): number {
  const counts = new Map(SEPARATORS.map((separator) => [separator, 0]));
  let isQuoted = false;
  for (const byte of file.subarray(0, MAX_RECORD_BYTES)) {
    if (byte === QUOTE) isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (isLineEnd(byte)) break;
    else if (counts.has(byte)) counts.set(byte, (counts.get(byte) ?? 0) + 1);
  }
  return SEPARATORS.reduce((most, one) => ((counts.get(one) ?? 0) > (counts.get(most) ?? 0) ? one : most));
}

const QUOTE = 0x22;
const UNCLOSED_QUOTE = 'A quoted cell is not closed.';

/**
 * Splits a CSV file (RFC 4180) into records, without parsing them: one per line, except for line ends inside quoted
 * cells. An unclosed quote invalidates its own line only; reading resumes at the next line. Blank lines are skipped.
 */
export function* splitCsvRecords(file: Buffer, separator: number): Generator<RawRecord, void, void> {
  let line = 1;
  for (let start = 0; start < file.length;) {
    const { end, fault, lines } = scanRecord(file, start, separator);
    if (fault !== null) yield { line, fault };
    else {
      const text = file.toString('utf8', start, end);
      if (text.trim() !== '') yield { line, text };
    }
    line += lines;
    start = findNextLine(file, end);
  }
}

interface RecordExtent {
  /** Index after its last byte. */
  readonly end: number;
  /** Number of physical lines. */
  readonly lines: number;
  readonly fault: string | null;
}

function scanRecord(file: Buffer, start: number, separator: number): RecordExtent {
  let isQuoted = false;
  let isCellStart = true;
  let lines = 1;
  for (let at = start; at < file.length; at += 1) {
    if (at - start >= MAX_RECORD_BYTES) return faultyLine(file, start, isQuoted ? UNCLOSED_QUOTE : TOO_LONG);
    const byte = file[at];
    if (isQuoted) {
      if (byte === LF || (byte === CR && file[at + 1] !== LF)) lines += 1;
      if (byte === QUOTE && file[at + 1] === QUOTE) at += 1;
      else if (byte === QUOTE) isQuoted = false;
    } else if (isLineEnd(byte)) return { end: at, lines, fault: null };
    else {
      isQuoted = byte === QUOTE && isCellStart;
      isCellStart = byte === separator;
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
      const text = file.toString('utf8', start, end);
      if (text.trim() !== '') yield { line, ...parseLine(text) };
    }
    start = findNextLine(file, end);
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

/** A line ends with either, or with both: spreadsheets on a Mac write CR alone. */
function isLineEnd(byte: number | undefined): boolean {
  return byte === LF || byte === CR;
}

/** The end of the line at `start`, or of the file. */
function findLineEnd(file: Buffer, start: number): number {
  let end = start;
  while (end < file.length && !isLineEnd(file[end])) end += 1;
  return end;
}

/** The start of the line behind the one that ends at `end`. */
function findNextLine(file: Buffer, end: number): number {
  return file[end] === CR && file[end + 1] === LF ? end + 2 : end + 1;
}
