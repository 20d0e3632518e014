import { isUtf8 } from 'node:buffer';
import { DomainError } from '../../kernel/domain-error.js';
import { InvalidRequest } from '../../platform/http/errors/invalid-request.js';
import { StrictValidationPipe } from '../../platform/http/validation/strict-validation.pipe.js';
import { type ImportOutcome, type ParsedLine, Turns } from './import-lines.js';
import { ImportedRow, toEntrySettings } from '../entries/entry-settings.dto.js';
import { disarmFormula, parseCells, pointerOf, READ_ONLY_COLUMNS } from './csv-cells.js';
import {
  type CsvRecord,
  findCsvStart,
  findLineEnd,
  findNextLine,
  MAX_RECORD_BYTES,
  readCsvRecords,
  TOO_LONG,
} from './csv-records.js';
import { type ChosenColumns, type FileColumn, readColumns, rejectUnknownColumns, showRows } from './import-columns.js';
import { type DateFormat, DateOrder } from './import-dates.js';
import { DEPTH_LIMIT, isTooDeep } from '../../platform/http/validation/json-depth.js';

export const CSV = 'text/csv';

/** How many lines a file may have. The header line of a CSV file does not count. */
const MAX_LINES = 100_000;

const validation = new StrictValidationPipe();
const ROW_METADATA = { type: 'body', metatype: ImportedRow } as const;
const SAMPLE_LINES = 100;

interface FileOptions {
  readonly mediaType: string;
  /** The columns that the user chose; null to recognize columns by their names or content. */
  readonly chosen: ChosenColumns | null;
  /** Whether the import is a sync, which resets omitted settings. A sync without `chosen` rejects unknown columns. */
  readonly isWholeTruth: boolean;
  /** The order of day and month in dates; null if the dates themselves must show their order. */
  readonly dateFormat: DateFormat | null;
}

/** Reads an uploaded file in UTF-8, or in UTF-16 with a byte-order mark. Recognizes the separator of a CSV file. */
export class ImportFile {
  /** The columns of a CSV file; null until the first line is read, and for a file of JSON lines. */
  columns: readonly FileColumn[] | null = null;
  firstRows: readonly (readonly string[])[] = [];
  /** Lines without a known outcome, by line number. `pointer` is the JSON pointer to the invalid field, or empty. */
  private readonly read = new Map<number, { readonly cells: readonly string[]; readonly pointer: string }>();

  constructor(
    private readonly file: Buffer,
    private readonly options: FileOptions,
  ) {}

  /**
   * Validates each line like a new entry.
   * @throws InvalidRequest or payload_too_large for the whole file, before any line is yielded
   */
  async *lines(): AsyncGenerator<ParsedLine, void, void> {
    const content = toUtf8(this.file);
    rejectTooManyLines(content, this.options.mediaType);
    const rows = this.options.mediaType === CSV ? await this.openCsv(content) : parseNdjson(content);
    const turns = new Turns();
    let count = 0;
    for (const row of rows) {
      const line = await validateRow(row);
      const [problem] = 'refusal' in line && line.refusal instanceof InvalidRequest ? line.refusal.fields : [];
      const cells = row.cells ?? [line.domain ?? ''];
      this.read.set(row.line, { cells, pointer: problem?.pointer ?? '' });
      yield line;
      count += 1;
      await turns.after('fields' in row ? Object.values(row.fields).map(String) : cells);
    }
    if (count === 0)
      throw InvalidRequest.malformed(this.columns ? 'The file has no line below its first one.' : 'The file is empty.');
  }

  private async openCsv(content: Buffer): Promise<Iterable<ParsedRow>> {
    const { chosen, isWholeTruth } = this.options;
    const start = findCsvStart(content);
    const sample = [...take(readCsvRecords(content, start), SAMPLE_LINES)].map(({ cells }) => cells);
    const { columns, hasHeader } = readColumns(sample, chosen);
    if (isWholeTruth && chosen === null) rejectUnknownColumns(columns);
    this.columns = columns;
    this.firstRows = showRows(hasHeader ? sample.slice(1) : sample);
    const dateAt = columns.findIndex(({ field }) => field === 'renewal_on');
    const asked = this.options.dateFormat;
    const dates = asked !== null || dateAt < 0 ? asked : await findDateOrder(readCsvRecords(content, start), dateAt);
    return parseRecords(readCsvRecords(content, start), { columns, hasHeader, dates });
  }

  /** Adds the name of the column that made a line fail, as the file spells the name. */
  explain<Outcome extends ImportOutcome>(outcome: Outcome): Outcome & { column?: string } {
    if (outcome.line === null) return outcome;
    const { pointer } = this.take(outcome.line);
    const isAtFault = ({ field }: FileColumn) => field !== null && `${pointer}/`.startsWith(`${pointerOf(field)}/`);
    const column = outcome.outcome === 'failed' ? this.columns?.find(isAtFault) : undefined;
    return column ? { ...outcome, column: column.name } : outcome;
  }

  /** Returns the header for the CSV file of refused lines. Users correct these lines and import them again. */
  get refusedHeader(): string[] {
    return [...(this.columns?.map(({ name }) => disarmFormula(name)) ?? ['domain']), 'refused because'];
  }

  /** Returns the cells of a refused line and the reason; null for any other line. */
  toRefusedRow(outcome: ImportOutcome): string[] | null {
    if (outcome.line === null) return null;
    const { cells } = this.take(outcome.line);
    if (outcome.outcome !== 'failed') return null;
    const width = this.columns?.length ?? 1;
    const padded = Array.from({ length: width }, (_, at) => cells[at] ?? '');
    return [...padded.map(disarmFormula), disarmFormula(`line ${outcome.line}: ${outcome.message}`)];
  }

  private take(line: number) {
    const read = this.read.get(line) ?? { cells: [], pointer: '' };
    this.read.delete(line);
    return read;
  }
}

interface CsvShape {
  readonly columns: readonly FileColumn[];
  readonly hasHeader: boolean;
  readonly dates: DateFormat | null;
}

function* parseRecords(records: Iterable<CsvRecord>, shape: CsvShape): Generator<ParsedRow, void, void> {
  const fields = shape.columns.map(({ field }) => field);
  let isHeader = shape.hasHeader;
  for (const { line, cells, fault } of records) {
    if (isHeader) isHeader = false;
    else if (fault !== null) yield { line, cells, fault };
    else if (cells.slice(fields.length).some((cell) => cell !== ''))
      yield { line, cells: cells.slice(0, fields.length), fault: 'The line has more cells than the first one.' };
    else yield { line, cells, fields: parseCells(fields, cells, shape.dates) };
  }
}

/** @throws InvalidRequest if the order of day and month is ambiguous */
async function findDateOrder(records: Iterable<CsvRecord>, at: number): Promise<DateFormat | null> {
  const order = new DateOrder();
  const turns = new Turns();
  for (const { cells } of records) {
    order.see(cells[at] ?? '');
    await turns.after(cells);
  }
  return order.decide();
}

function* take<Item>(items: Iterable<Item>, count: number): Generator<Item, void, void> {
  let left = count;
  for (const item of items) {
    yield item;
    if ((left -= 1) === 0) return;
  }
}

const ENCODINGS = [
  { mark: Buffer.from([0xff, 0xfe]), name: 'utf-16le' },
  { mark: Buffer.from([0xfe, 0xff]), name: 'utf-16be' },
];
const UTF_8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
/** The first bytes of a ZIP archive. Spreadsheet files such as `.xlsx` are ZIP archives. */
const ARCHIVE_MARK = Buffer.from('PK\x03\x04', 'latin1');

/** @throws InvalidRequest if the file is not text */
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
    return Buffer.from(new TextDecoder(encoding, { fatal: true }).decode(file)); // removes the byte-order mark
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

/** A line that was read: its fields by their API names, or the reason why the line is invalid. */
type ParsedRow = { readonly line: number; readonly cells?: readonly string[] } & (
  { readonly fields: Readonly<Record<string, unknown>> } | { readonly fault: string }
);

const IGNORED_FIELDS: ReadonlySet<string> = new Set(READ_ONLY_COLUMNS);

/** Reads one JSON object per line and skips blank lines. Omits nulls, because an export writes null for no value. */
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
