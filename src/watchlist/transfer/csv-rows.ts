import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { InvalidRequest } from '../../platform/http/errors/invalid-request.js';
import { parseBoolean, parseHosts, parseRemindDays, parseTags, unescapeFormula } from './csv-cells.js';
import { splitCsvRecords } from './csv-records.js';
import type { RawRecord } from './raw-record.js';
import { EXPECTED_COLUMNS, INPUT_COLUMNS, type ParsedRow, READ_ONLY_COLUMNS, REMINDER_COLUMNS } from './parsed-row.js';

const KNOWN_COLUMNS: ReadonlySet<string> = new Set([
  ...INPUT_COLUMNS,
  ...READ_ONLY_COLUMNS,
  ...REMINDER_COLUMNS,
  ...EXPECTED_COLUMNS,
]);
/**
 * Parsing records one by one costs five times as much; more at a time live so long that they reach the old generation of
 * the heap.
 */
const PARSE_BATCH_SIZE = 25;

const parseWholeNumber = (cell: string) => (/^\d{1,9}$/.test(cell.trim()) ? Number(cell) : cell);
const trim = (cell: string) => cell.trim();
const CELL_PARSERS: Readonly<
  Record<(typeof INPUT_COLUMNS | typeof REMINDER_COLUMNS | typeof EXPECTED_COLUMNS)[number], (cell: string) => unknown>
> = {
  domain: trim,
  interval_minutes: parseWholeNumber,
  expiring_window_days: parseWholeNumber,
  tags: parseTags,
  note: unescapeFormula,
  intent: trim,
  remind_days: parseRemindDays,
  renewal_on: trim,
  renewal_note: unescapeFormula,
  expected_nameservers: parseHosts,
  expected_registrar_id: trim,
  expected_locked: parseBoolean,
};

type Cells = readonly string[] | { readonly fault: string };

/**
 * The first line names the columns: `domain`, and any others of an export, in any order. An empty cell counts as omitted.
 * @throws InvalidRequest for an invalid first line, before any row
 */
export function* parseCsv(file: Buffer): Generator<ParsedRow, void, void> {
  const records = splitCsvRecords(file);
  const columns = parseHeader(records.next().value);
  for (const batch of toBatches(records)) {
    const cells = parseRecords(batch.flatMap((record) => ('text' in record ? [record.text] : []))).values();
    for (const record of batch)
      yield 'fault' in record ? record : { line: record.line, ...toFields(columns, cells.next().value ?? []) };
  }
}

function parseHeader(header: RawRecord | void): readonly string[] {
  const [cells] = header && 'text' in header ? parseRecords([header.text]) : [];
  const columns = cells && !('fault' in cells) ? cells.map(trim) : [];
  const isValid = columns.includes('domain') && columns.every((name) => KNOWN_COLUMNS.has(name));
  if (isValid && new Set(columns).size === columns.length) return columns;
  const known = [...INPUT_COLUMNS, ...REMINDER_COLUMNS, ...EXPECTED_COLUMNS].join(',');
  throw InvalidRequest.malformed(`The first line must name the columns, once each: domain, and any of ${known}.`);
}

function parseRecords(texts: readonly string[]): readonly Cells[] {
  const all = tryParse(texts.join('\n'));
  // One faulty record fails the whole batch: parse each alone to find it.
  if (all?.length === texts.length) return all;
  return texts.map(
    (text) => tryParse(text)?.[0] ?? { fault: 'The line is not valid CSV: quotes enclose whole cells.' },
  );
}

/** null when any of it is invalid. */
function tryParse(text: string): string[][] | null {
  try {
    return parse(text, { relax_column_count: true, record_delimiter: ['\r\n', '\n'] });
  } catch (error) {
    if (error instanceof CsvError) return null;
    throw error;
  }
}

function toFields(columns: readonly string[], cells: Cells): { fields: Record<string, unknown> } | { fault: string } {
  if ('fault' in cells) return cells;
  if (cells.slice(columns.length).some((cell) => cell !== ''))
    return { fault: 'The line has more cells than the first one.' };
  const fields = columns.flatMap((name, at) => {
    const cell = cells[at] ?? '';
    return cell !== '' && isInputColumn(name) ? [[name, CELL_PARSERS[name](cell)] as const] : [];
  });
  return { fields: withExpected(withRenewal(Object.fromEntries(fields))) };
}

function withRenewal({ renewal_on: on, renewal_note: note, ...fields }: Record<string, unknown>) {
  return on === undefined && note === undefined ? fields : { ...fields, renewal: { on, note } };
}

function withExpected({
  expected_nameservers,
  expected_registrar_id,
  expected_locked,
  ...fields
}: Record<string, unknown>) {
  const members = { nameservers: expected_nameservers, registrar_id: expected_registrar_id, locked: expected_locked };
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return given.length === 0 ? fields : { ...fields, expected: Object.fromEntries(given) };
}

function isInputColumn(name: string): name is keyof typeof CELL_PARSERS {
  return Object.hasOwn(CELL_PARSERS, name);
}

function* toBatches(records: Iterable<RawRecord>): Generator<readonly RawRecord[]> {
  let batch: RawRecord[] = [];
  for (const record of records) {
    batch.push(record);
    if (batch.length < PARSE_BATCH_SIZE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
