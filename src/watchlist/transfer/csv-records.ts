import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';

/** A record of a CSV file; `line` is its first physical line, counted from 1. */
export interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
  readonly fault: string | null;
}

interface CsvStart {
  readonly separator: string;
  readonly offset: number;
  readonly line: number;
}

/** Small enough to block the event loop only briefly, but larger than any record. */
const PIECE_BYTES = 64 * 1_024;
/** The longest record that is accepted. Even a line with every field at its limit and every character escaped fits. */
export const MAX_RECORD_BYTES = 32 * 1_024;
export const TOO_LONG = `A line may have at most ${MAX_RECORD_BYTES / 1_024} KiB.`;
const UNCLOSED_QUOTE = 'A quoted cell is not closed.';
const MISPLACED_QUOTE = 'The line is not valid CSV: quotes enclose whole cells.';

/**
 * After this many unclosed quotes, all quoted records are refused. For each unclosed quote, csv-parse reads
 * {@link MAX_RECORD_BYTES} in vain.
 */
const MAX_OPEN_QUOTES = 20;

const OPTIONS = {
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  trim: true,
  max_record_size: MAX_RECORD_BYTES,
};

/** Yields all records except empty ones. A line that csv-parse refuses becomes a record with a fault. */
export function* readCsvRecords(file: Buffer, start: CsvStart): Generator<CsvRecord, void, void> {
  let { offset, line } = start;
  for (let openQuotes = 0; offset < file.length;) {
    const hasQuotes = openQuotes < MAX_OPEN_QUOTES;
    const piece = file.subarray(offset, offset + PIECE_BYTES);
    const isLast = offset + PIECE_BYTES >= file.length;
    const { records, error } = parsePiece(piece, start.separator, hasQuotes);
    // The last record may be cut off at the end of the piece.
    const whole = error || isLast ? records : records.slice(0, -1);
    let at = 0;
    for (const { cells, end } of whole) {
      const fault = !hasQuotes && cells.some((cell) => cell.includes('"')) ? UNCLOSED_QUOTE : null;
      if (cells.some((cell) => cell !== '')) yield { line, cells: fault === null ? cells : [], fault };
      line += countLineEnds(piece, at, end);
      at = end;
    }
    offset += at;
    const isCut = error?.code === 'CSV_QUOTE_NOT_CLOSED' && !isLast && whole.length > 0;
    if (isCut || (!error && whole.length > 0)) continue;
    const end = findLineEnd(file, offset);
    const fault = toFault(error, end - offset);
    if (fault === UNCLOSED_QUOTE) openQuotes += 1;
    yield { line, cells: fault === MISPLACED_QUOTE ? [file.toString('utf8', offset, end)] : [], fault };
    offset = findNextLine(file, end);
    line += 1;
  }
}

interface ParsedRecord {
  readonly cells: readonly string[];
  /** The offset after the record and its line end. */
  readonly end: number;
}

function parsePiece(piece: Buffer, delimiter: string, hasQuotes: boolean) {
  const records: ParsedRecord[] = [];
  const on_record = (cells: readonly string[], { bytes }: { readonly bytes: number }) => {
    records.push({ cells, end: bytes });
    return null;
  };
  try {
    parse(piece, { ...OPTIONS, delimiter, quote: hasQuotes ? '"' : null, on_record });
    return { records, error: null };
  } catch (error) {
    if (error instanceof CsvError) return { records, error };
    throw error;
  }
}

/** If a record is too long but its first line is not, the record has an unclosed quote. */
function toFault(error: CsvError | null, lineBytes: number): string {
  if (lineBytes > MAX_RECORD_BYTES || !error) return TOO_LONG;
  return error.code === 'CSV_QUOTE_NOT_CLOSED' || error.code === 'CSV_MAX_RECORD_SIZE'
    ? UNCLOSED_QUOTE
    : MISPLACED_QUOTE;
}

const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;

/** Spreadsheets on a Mac end lines with CR alone. */
function isLineEnd(byte: number | undefined): boolean {
  return byte === LF || byte === CR;
}

export function findLineEnd(file: Buffer, start: number): number {
  let end = start;
  while (end < file.length && !isLineEnd(file[end])) end += 1;
  return end;
}

/** Returns the start of the next line, given the end of a line. */
export function findNextLine(file: Buffer, end: number): number {
  return file[end] === CR && file[end + 1] === LF ? end + 2 : end + 1;
}

function countLineEnds(file: Buffer, from: number, to: number): number {
  let count = 0;
  for (let at = findLineEnd(file, from); at < to; at = findLineEnd(file, findNextLine(file, at))) count += 1;
  return count;
}

const SEPARATORS = [...',;\t|'];

/** Takes the separator from a first line such as `sep=;`, or else the most frequent separator of the first line. */
export function findCsvStart(file: Buffer): CsvStart {
  const end = Math.min(findLineEnd(file, 0), MAX_RECORD_BYTES);
  const [, said] = /^"?sep=(.)"?[,;\s]*$/i.exec(file.toString('utf8', 0, end)) ?? [];
  if (said !== undefined) return { separator: said, offset: findNextLine(file, end), line: 2 };
  const counts = new Map(SEPARATORS.map((separator) => [separator, 0]));
  let isQuoted = false;
  for (const byte of file.subarray(0, MAX_RECORD_BYTES)) {
    if (byte === QUOTE) isQuoted = !isQuoted;
    else if (!isQuoted && isLineEnd(byte)) break;
    const separator = String.fromCharCode(byte);
    const count = counts.get(separator);
    if (!isQuoted && count !== undefined) counts.set(separator, count + 1);
  }
  const separator = SEPARATORS.reduce((most, one) => ((counts.get(one) ?? 0) > (counts.get(most) ?? 0) ? one : most));
  return { separator, offset: 0, line: 1 };
}
