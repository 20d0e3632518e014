import { InvalidRequest } from '../../platform/http/errors/invalid-request.js';
import { type Column, isColumn, READ_ONLY_COLUMNS, WRITABLE_COLUMNS } from './csv-cells.js';

/** A column of a CSV file, and what it is taken for; null: it is ignored. */
export interface FileColumn {
  readonly name: string;
  readonly field: Column | null;
}

/** What registrars call a column, lower case and without marks between words. */
const OTHER_NAMES: Readonly<Record<string, Column>> = {
  domainname: 'domain',
  fqdn: 'domain',
  tag: 'tags',
  labels: 'tags',
  notes: 'note',
  comment: 'note',
};
const plain = (name: string) => name.toLowerCase().replace(/[\s_-]+/g, '');
const FIELD_BY_NAME = new Map([
  ...WRITABLE_COLUMNS.map((field) => [plain(field), field] as const),
  ...Object.entries(OTHER_NAMES),
]);

/** Takes columns for what their names say, and ignores the others. @throws InvalidRequest where two say the same */
export function guessColumns(names: readonly string[]): FileColumn[] {
  const columns = names.map((name) => ({ name: name.trim(), field: FIELD_BY_NAME.get(plain(name)) ?? null }));
  const twice = columns.find(({ field }, at) => field !== null && columns.findIndex((one) => one.field === field) < at);
  if (!twice) return columns;
  const same = columns.filter(({ field }) => field === twice.field).map(({ name }) => name);
  throw InvalidRequest.malformed(
    `The first line must name the columns, once each: ${same.join(' and ')} are both taken for ${twice.field}. ` +
      'Say with columns which one it is.',
  );
}

/**
 * A misspelt column would give every entry the default of its setting. What an export adds is known, and a column without
 * a name is none.
 * @throws InvalidRequest
 */
export function rejectUnknownColumns(columns: readonly FileColumn[]): void {
  const known: ReadonlySet<string> = new Set(['', ...READ_ONLY_COLUMNS.map(plain)]);
  const unknown = columns
    .filter(({ name, field }) => field === null && !known.has(plain(name)))
    .map(({ name }) => name);
  if (unknown.length === 0) return;
  throw InvalidRequest.malformed(
    `Nobody knows the column ${unknown.join(', ')}. Rename or remove it, or say with columns which ones are to be read.`,
  );
}

/** @throws InvalidRequest for a column that the file does not have once */
export function chooseColumns(names: readonly string[], chosen: ReadonlyMap<Column, string>): FileColumn[] {
  const trimmed = names.map((name) => name.trim());
  const fieldByName = new Map([...chosen].map(([field, name]) => [name, field]));
  const missing = [...chosen.values()].find((name) => trimmed.filter((one) => one === name).length !== 1);
  if (missing === undefined) return trimmed.map((name) => ({ name, field: fieldByName.get(name) ?? null }));
  const message = `The file has no column ${missing}, or several; it has ${trimmed.join(', ')}.`;
  throw InvalidRequest.of([{ pointer: '#query/columns', code: 'invalid', message }]);
}

/**
 * Reads which column of the file has which field, from a text such as `{"domain":"Domain Name"}`.
 * @throws InvalidRequest
 */
export function parseColumns(text: string | undefined): ReadonlyMap<Column, string> | null {
  if (text === undefined) return null;
  const invalid = (message: string) => InvalidRequest.of([{ pointer: '#query/columns', code: 'invalid', message }]);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = null;
  }
  if (typeof value !== 'object' || value === null)
    throw invalid('columns must be JSON such as {"domain":"Domain Name"}');
  const chosen = new Map<Column, string>();
  for (const [field, name] of Object.entries(value)) {
    if (!isColumn(field) || READ_ONLY_COLUMNS.includes(field))
      throw invalid(`columns may have ${WRITABLE_COLUMNS.join(', ')}, and not ${field}`);
    if (typeof name !== 'string') throw invalid(`the column of ${field} must be a text`);
    chosen.set(field, name.trim());
  }
  if (!chosen.has('domain')) throw invalid('columns must say which column is the domain');
  if (new Set(chosen.values()).size < chosen.size) throw invalid('columns must name each column once');
  return chosen;
}

/** The file has what people need to say which column has the names. */
export class NoDomainColumn extends InvalidRequest {
  constructor(columns: readonly FileColumn[], firstRows: readonly (readonly string[])[]) {
    const names = columns.map(({ name }) => name).join(', ');
    const message =
      `The first line must name the columns, and one of them must be the domain; it has ${names || 'nothing'}. ` +
      `Say with columns which one has the domains.`;
    super(message, [{ pointer: '', code: 'malformed', message }], {
      columns: columns.map(({ name }) => name),
      first_rows: firstRows,
    });
  }
}
