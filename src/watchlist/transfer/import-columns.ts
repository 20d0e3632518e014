import { InvalidRequest } from '../../platform/http/errors/invalid-request.js';
import { type Column, isColumn, LIST_COLUMNS, READ_ONLY_COLUMNS, WRITABLE_COLUMNS } from './csv-cells.js';

/** A column of a CSV file and the field that it fills; null means that the column is ignored. */
export interface FileColumn {
  readonly name: string;
  readonly field: Column | null;
}

/** The names of the file's columns that the user has chosen for each field. */
export type ChosenColumns = ReadonlyMap<Column, readonly string[]>;

/** How many columns a file may have. A file with more columns is hardly a list of names. */
const MAX_COLUMNS = 500;

/** Other headings that registrars use for a column, in lower case and without spaces, `_` and `-`. */
const OTHER_NAMES: Readonly<Record<string, Column>> = {
  domainname: 'domain',
  fqdn: 'domain',
  tag: 'tags',
  labels: 'tags',
  notes: 'note',
  comment: 'note',
  nameserver: 'expected_nameservers',
  nameservers: 'expected_nameservers',
};
/** Other headings of the column that fills `renewal_on`. If a file has several of these columns, the first counts. */
const EXPIRY_NAMES: ReadonlySet<string> = new Set([
  ...['expires', 'expireson', 'expiresat', 'expiry', 'expirydate', 'expiration', 'expirationdate', 'expiredate'],
  ...['registryexpirydate', 'renewaldate', 'renewson', 'renewon', 'paidtill', 'paiduntil'],
]);
const NUMBERED: readonly (readonly [RegExp, Column])[] = [
  [/^(?:nameserver|ns|dns)\d{1,2}$/, 'expected_nameservers'],
  [/^(?:tag|label)\d{1,2}$/, 'tags'],
];
const plain = (name: string) => name.toLowerCase().replace(/[\s_-]+/g, '');
const FIELD_BY_NAME = new Map([
  ...WRITABLE_COLUMNS.map((field) => [plain(field), field] as const),
  ...Object.entries(OTHER_NAMES),
]);

function fieldOf(name: string): Column | null {
  const word = plain(name);
  return FIELD_BY_NAME.get(word) ?? NUMBERED.find(([pattern]) => pattern.test(word))?.[1] ?? null;
}

/** The last label must start with a letter, so that numbers, dates and IP addresses do not match. */
const DOMAIN = /^(?=.{4,253}$)(?:[\p{L}\p{N}\p{M}_-]+\.)+\p{L}[\p{L}\p{N}\p{M}-]+\.?$/u;
/** At least this share of the cells of a domain column must be domains. */
const MOST = 0.8;

/**
 * Without a header line or chosen columns, only the column with the domains fills a field.
 * @param rows the first records, including the first line
 * @throws NoDomainColumn if it is unclear which column has the domains; InvalidRequest if other columns are wrong
 */
export function readColumns(
  rows: readonly (readonly string[])[],
  chosen: ChosenColumns | null,
): { readonly columns: FileColumn[]; readonly hasHeader: boolean } {
  const [first = [], ...others] = rows;
  if (first.length > MAX_COLUMNS)
    throw InvalidRequest.malformed(`The file has ${first.length} columns, and may have ${MAX_COLUMNS}.`);
  if (chosen) {
    const columns = chooseColumns(first, chosen);
    const domain = columns.find(({ field }) => field === 'domain');
    return { columns, hasHeader: !DOMAIN.test(domain?.name ?? '') };
  }
  const byName = first.map((name) => ({ name, field: fieldOf(name) }));
  if (byName.some(({ field }) => field === 'domain')) return { columns: takeNames(byName), hasHeader: true };
  const at = findDomains(byName, others.length > 0 ? others : [first]);
  if (at === null) throw new NoDomainColumn(byName, others);
  if (DOMAIN.test(first[at] ?? '')) return { columns: nameless(first.length, at), hasHeader: false };
  return {
    columns: takeNames(byName.map((one, n) => (n === at ? { ...one, field: 'domain' } : one))),
    hasHeader: true,
  };
}

function nameless(count: number, domainAt: number): FileColumn[] {
  const isList = count === 1;
  return Array.from({ length: count }, (_, n) => ({
    name: isList ? 'domain' : `column ${n + 1}`,
    field: n === domainAt ? 'domain' : null,
  }));
}

/** Finds the only column that is full of domains, or among several the only column with a fitting name. */
function findDomains(columns: readonly FileColumn[], rows: readonly (readonly string[])[]): number | null {
  const full = columns.flatMap(({ name, field }, at) => {
    const cells = rows.map((row) => row[at] ?? '').filter((cell) => cell !== '');
    const domains = cells.filter((cell) => DOMAIN.test(cell));
    return field === null && cells.length > 0 && domains.length >= MOST * cells.length ? [{ name, at }] : [];
  });
  const called = full.filter(({ name }) => /domain|^name$/.test(plain(name)));
  return (full.length === 1 ? full[0] : called.length === 1 ? called[0] : undefined)?.at ?? null;
}

/** @throws InvalidRequest if two columns fill the same field, unless the field is a list */
function takeNames(byName: readonly FileColumn[]): FileColumn[] {
  const hasRenewal = byName.some(({ field }) => field === 'renewal_on');
  const expiry = hasRenewal ? -1 : byName.findIndex(({ name }) => EXPIRY_NAMES.has(plain(name)) && !isExported(name));
  const columns = byName.map((one, at) => (at === expiry ? { ...one, field: 'renewal_on' as const } : one));
  const isTwice = ({ field }: FileColumn, at: number) =>
    field !== null && !LIST_COLUMNS.has(field) && columns.findIndex((one) => one.field === field) < at;
  const twice = columns.find(isTwice);
  if (!twice) return columns;
  const same = columns.filter(({ field }) => field === twice.field).map(({ name }) => name);
  throw InvalidRequest.malformed(
    `The first line must name the columns, once each: ${same.join(' and ')} are both taken for ${twice.field ?? ''}. ` +
      'Say with columns which one it is.',
  );
}

/** Whether exports write this column and imports ignore this column, such as the registry's `expires_at`. */
function isExported(name: string): boolean {
  return READ_ONLY_COLUMNS.some((column) => plain(column) === plain(name));
}

/**
 * With `mode=sync`, omitted settings are reset. A misspelt column would reset its setting in every entry.
 * @throws InvalidRequest
 */
export function rejectUnknownColumns(columns: readonly FileColumn[]): void {
  const unknown = columns
    .filter(({ name, field }) => field === null && name !== '' && !isExported(name))
    .map(({ name }) => name);
  if (unknown.length === 0) return;
  throw InvalidRequest.malformed(
    `Nobody knows the column ${unknown.join(', ')}. Rename or remove it, or say with "columns" which columns to read.`,
  );
}

/** @throws InvalidRequest if the file lacks a chosen column, or has several columns of this name */
function chooseColumns(names: readonly string[], chosen: ChosenColumns): FileColumn[] {
  const fieldByName = new Map([...chosen].flatMap(([field, some]) => some.map((name) => [name, field] as const)));
  const missing = [...fieldByName.keys()].find((name) => names.filter((one) => one === name).length !== 1);
  if (missing === undefined) return names.map((name) => ({ name, field: fieldByName.get(name) ?? null }));
  const message = `The file has no column ${missing}, or several; it has ${names.join(', ')}.`;
  throw InvalidRequest.of([{ pointer: '#query/columns', code: 'invalid', message }]);
}

/** Parses the user's choice of columns, such as `{"domain":"Domain Name","tags":["A","B"]}`. @throws InvalidRequest */
export function parseColumns(text: string | undefined): ChosenColumns | null {
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
  const chosen = new Map<Column, string[]>();
  for (const [field, given] of Object.entries(value)) {
    if (!isColumn(field) || READ_ONLY_COLUMNS.includes(field))
      throw invalid(`columns may have ${WRITABLE_COLUMNS.join(', ')}, and not ${field}`);
    const names: unknown[] = Array.isArray(given) && LIST_COLUMNS.has(field) ? given : [given];
    if (!names.every((name) => typeof name === 'string')) throw invalid(`the column of ${field} must be a text`);
    chosen.set(
      field,
      names.map((name) => name.trim()),
    );
  }
  if (!chosen.has('domain')) throw invalid('columns must say which column is the domain');
  const all = [...chosen.values()].flat();
  if (new Set(all).size < all.length) throw invalid('columns must name each column once');
  return chosen;
}

/** Shows the columns and first rows, so that the user can choose the column with the domains. */
class NoDomainColumn extends InvalidRequest {
  constructor(columns: readonly FileColumn[], rows: readonly (readonly string[])[]) {
    const names = columns.map(({ name }) => name).join(', ');
    const message =
      `The first line must name the columns, and one of them must be the domain; it has ${names || 'nothing'}. ` +
      `Say with columns which one has the domains.`;
    super(message, [{ pointer: '', code: 'malformed', message }], {
      columns: columns.map(({ name }) => name),
      first_rows: showRows(rows),
    });
  }
}

const SHOWN_ROWS = 5;
const MAX_SHOWN_CELL = 200;

export function showRows(rows: readonly (readonly string[])[]): string[][] {
  return rows.slice(0, SHOWN_ROWS).map((row) => row.map((cell) => cell.slice(0, MAX_SHOWN_CELL)));
}
