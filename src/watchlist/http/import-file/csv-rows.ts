import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { InvalidRequest } from '../../../platform/http/errors/invalid-request.js';
import { tagsIn, unguarded } from './csv-cells.js';
import { csvRecords } from './csv-records.js';
import type { FramedRecord } from './framed-record.js';
import { ASKED_COLUMNS, type ReadRow, TOLD_COLUMNS } from './read-row.js';

const KNOWN: ReadonlySet<string> = new Set([...ASKED_COLUMNS, ...TOLD_COLUMNS]);
/** Records are taken apart so many at a time: one by one costs five times as much. */
const TOGETHER = 500;

const whole = (cell: string) => (/^\d{1,9}$/.test(cell.trim()) ? Number(cell) : cell);
const trimmed = (cell: string) => cell.trim();
const READ: Readonly<Record<(typeof ASKED_COLUMNS)[number], (cell: string) => unknown>> = {
  domain: trimmed,
  interval_minutes: whole,
  expiring_window_days: whole,
  tags: tagsIn,
  note: unguarded,
  intent: trimmed,
};

type Cells = readonly string[] | { readonly fault: string };

/**
 * The rows of a CSV file whose first line names its columns: `domain`, and any others that an export has, in any order.
 * An empty cell says nothing.
 * @throws InvalidRequest for another first line; then nothing was read
 */
export function* csvRows(file: Buffer): Generator<ReadRow, void, void> {
  const records = csvRecords(file);
  const columns = columnsOf(records.next().value);
  for (const batch of inBatches(records)) {
    const cells = cellsOf(batch.flatMap((record) => ('text' in record ? [record.text] : []))).values();
    for (const record of batch)
      yield 'fault' in record ? record : { line: record.line, ...rowOf(columns, cells.next().value ?? []) };
  }
}

function columnsOf(header: FramedRecord | void): readonly string[] {
  const [cells] = header && 'text' in header ? cellsOf([header.text]) : [];
  const columns = cells && !('fault' in cells) ? cells.map(trimmed) : [];
  const isRight = columns.includes('domain') && columns.every((name) => KNOWN.has(name));
  if (isRight && new Set(columns).size === columns.length) return columns;
  const known = ASKED_COLUMNS.join(',');
  throw InvalidRequest.malformed(`The first line must name the columns, once each: domain, and any of ${known}.`);
}

function cellsOf(texts: readonly string[]): readonly Cells[] {
  const together = taken(texts.join('\n'));
  // A fault in one of them is found again, alone.
  if (together?.length === texts.length) return together;
  return texts.map((text) => taken(text)?.[0] ?? { fault: 'The line is not valid CSV: quotes enclose whole cells.' });
}

/** null when there is a fault somewhere in it. */
function taken(text: string): string[][] | null {
  try {
    return parse(text, { relax_column_count: true, record_delimiter: ['\r\n', '\n'] });
  } catch (error) {
    if (error instanceof CsvError) return null;
    throw error;
  }
}

function rowOf(columns: readonly string[], cells: Cells): { fields: Record<string, unknown> } | { fault: string } {
  if ('fault' in cells) return cells;
  if (cells.slice(columns.length).some((cell) => cell !== ''))
    return { fault: 'The line has more cells than the first one.' };
  const asked = columns.flatMap((name, at) => {
    const cell = cells[at] ?? '';
    return cell !== '' && isAsked(name) ? [[name, READ[name](cell)] as const] : [];
  });
  return { fields: Object.fromEntries(asked) };
}

function isAsked(name: string): name is keyof typeof READ {
  return Object.hasOwn(READ, name);
}

function* inBatches(records: Iterable<FramedRecord>): Generator<readonly FramedRecord[]> {
  let batch: FramedRecord[] = [];
  for (const record of records) {
    batch.push(record);
    if (batch.length < TOGETHER) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
