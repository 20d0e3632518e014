import { FLAT_FIELDS, type FlatField, flattenSettings } from '../domain/entry-settings.js';
import { type DateFormat, parseDate } from './import-dates.js';
import type { ExportedEntry } from './watchlist-export.repository.js';

/**
 * Spreadsheets run a cell that starts with one of these characters as a formula (CSV injection). Some split even quoted
 * cells at `;`, tabs or line ends, and run a formula that follows.
 */
const FORMULA_PREFIXES = '=+\\-@＝＋－＠';
const CELL_START = `(?<![^])(?=['"]*[${FORMULA_PREFIXES}\\t\\r\\n])`;
const AFTER_SEPARATOR = `(?<=[;\\t\\r\\n])(?=['"]*[${FORMULA_PREFIXES}])`;
const UNESCAPED_FORMULA = new RegExp(`${CELL_START}|${AFTER_SEPARATOR}`, 'g');
const FORMULA_ESCAPE = new RegExp(`(?:${CELL_START}|${AFTER_SEPARATOR})'`, 'g');

export function escapeFormula(text: string): string {
  return text.replace(UNESCAPED_FORMULA, "'");
}

export function unescapeFormula(cell: string): string {
  return cell.replace(FORMULA_ESCAPE, '');
}

/** Escapes a cell that a spreadsheet could run as a formula, unless an export has already escaped the cell. */
export function disarmFormula(cell: string): string {
  return escapeFormula(unescapeFormula(cell));
}

/** Joins tags by `;`. Inside a tag, `;` becomes `\;` and a backslash `\\`. */
export function formatTags(tags: readonly string[]): string {
  return escapeFormula(tags.map((tag) => tag.replace(/[\\;]/g, '\\$&')).join(';'));
}

/** Joins days by `;`. An empty cell means the default days. The word `none` means no reminders. */
function formatRemindDays(days: readonly number[] | null): string {
  if (days === null) return '';
  return days.length === 0 ? 'none' : days.join(';');
}

/** Leaves a part that is not a whole number as text, so that validation rejects it. */
function parseRemindDays(cell: string): unknown[] {
  if (cell.trim() === 'none') return [];
  return cell.split(';').map((part) => (/^\s*\d{1,9}\s*$/.test(part) ? Number(part) : part));
}

/**
 * Joins hosts by `;`. An empty cell allows any name servers. The word `none` means that the name must have no name
 * servers.
 */
function formatHosts(hosts: readonly string[] | null): string {
  return hosts?.length === 0 ? 'none' : (hosts ?? []).join(';');
}

function parseHosts(cell: string): string[] {
  return cell.trim() === 'none' ? [] : cell.split(';').map((host) => host.trim());
}

/** Leaves anything but `true` or `false` as text, so that validation rejects it. */
function parseBoolean(cell: string): boolean | string {
  const text = cell.trim().toLowerCase();
  return text === 'true' || text === 'false' ? text === 'true' : cell;
}

export function parseTags(cell: string): string[] {
  const parts = unescapeFormula(cell).match(/(?:\\[\\;]|[^;])+/g) ?? [];
  return parts.map((part) => part.replace(/\\([\\;])/g, '$1').trim()).filter((tag) => tag !== '');
}

/** If `parse` cannot read a cell, the cell stays text, which validation rejects. */
interface Cell<Value> {
  /** null means that an import ignores the column. */
  readonly parse: ((cell: string) => unknown) | null;
  format(value: Value): string;
}

const trim = (cell: string) => cell.trim();
const show = (value: string | null) => value ?? '';
const TEXT: Cell<string | null> = { parse: trim, format: show };
const PROSE: Cell<string | null> = { parse: unescapeFormula, format: (text) => escapeFormula(text ?? '') };
const INTEGER: Cell<number> = {
  parse: (cell) => (/^\d{1,9}$/.test(cell.trim()) ? Number(cell) : cell),
  format: String,
};
const BOOLEAN: Cell<boolean | null> = { parse: parseBoolean, format: (value) => String(value ?? '') };
const TAGS: Cell<readonly string[]> = { parse: parseTags, format: formatTags };
const SHOWN_TEXT: Cell<string | null> = { parse: null, format: show };
const SHOWN_TIME: Cell<Date | null> = { parse: null, format: (time) => time?.toISOString() ?? '' };

/** The columns of a CSV file in their order. Each member of an object setting has its own column. */
const CELLS = {
  domain: TEXT,
  interval_minutes: INTEGER,
  expiring_window_days: INTEGER,
  tags: TAGS,
  note: PROSE,
  purpose: TEXT,
  status: SHOWN_TEXT,
  expires_at: SHOWN_TIME,
  last_checked_at: SHOWN_TIME,
  remind_days: { parse: parseRemindDays, format: formatRemindDays },
  renewal_on: TEXT,
  renewal_note: PROSE,
  expected_nameservers: { parse: parseHosts, format: formatHosts },
  expected_registrar_id: TEXT,
  expected_locked: BOOLEAN,
} as const satisfies Record<
  'domain' | Exclude<FlatField, 'paused'> | 'status' | 'expires_at' | 'last_checked_at',
  Cell<never>
>;

export type Column = keyof typeof CELLS;
export const COLUMNS = Object.keys(CELLS) as Column[];
/** A file may have several columns for each of these fields. */
export const LIST_COLUMNS: ReadonlySet<Column> = new Set(['tags', 'expected_nameservers'] as const);
export const WRITABLE_COLUMNS = COLUMNS.filter((column) => CELLS[column].parse !== null);
export const READ_ONLY_COLUMNS = COLUMNS.filter((column) => CELLS[column].parse === null);

const SOURCES = new Map<string, { readonly field: string; readonly member: string | null }>(
  FLAT_FIELDS.map(({ name, ...source }) => [name, source]),
);
const sourceOf = (column: string) => SOURCES.get(column) ?? { field: column, member: null };

/** The fields of a JSON line, in the order of the columns. */
const FIELDS = [...new Set(COLUMNS.map((column) => sourceOf(column).field))];

export function pointerOf(column: Column): string {
  const { field, member } = sourceOf(column);
  return member === null ? `/${field}` : `/${field}/${member}`;
}

export function isColumn(name: string): name is Column {
  return Object.hasOwn(CELLS, name);
}

export function formatCells(entry: ExportedEntry): string[] {
  const values: Readonly<Record<string, unknown>> = { ...entry, ...flattenSettings(entry) };
  return COLUMNS.map((column) => disarmFormula((CELLS[column] as Cell<unknown>).format(values[column])));
}

export function formatJsonLine(entry: ExportedEntry): string {
  const values = entry as unknown as Readonly<Record<string, unknown>>;
  return JSON.stringify(Object.fromEntries(FIELDS.map((field) => [field, values[field]])));
}

/**
 * Returns fields by their API names. Several columns may fill one list.
 * @param dates how to read ambiguous dates
 */
export function parseCells(
  columns: readonly (Column | null)[],
  cells: readonly string[],
  dates: DateFormat | null,
): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [at, column] of columns.entries()) {
    if (column === null) continue;
    const cell = column === 'renewal_on' ? parseDate(cells[at] ?? '', dates) : (cells[at] ?? '');
    const { parse } = CELLS[column];
    if (cell === '' || parse === null) continue;
    const { field, member } = sourceOf(column);
    const others = fields[field] as Readonly<Record<string, unknown>> | undefined;
    const value = join(member === null ? others : others?.[member], parse(cell));
    fields[field] = member === null ? value : { ...others, [member]: value };
  }
  return fields;
}

function join(former: unknown, value: unknown): unknown {
  return Array.isArray(former) && Array.isArray(value) ? [...(former as unknown[]), ...(value as unknown[])] : value;
}
