/** The fields of a line, by their API names, or the reason why it is invalid. */
export type ParsedRow = { readonly line: number } & (
  { readonly fields: Readonly<Record<string, unknown>> } | { readonly fault: string }
);

/** Columns of an export that an import ignores. */
export const READ_ONLY_COLUMNS = ['status', 'expires_at', 'last_checked_at'] as const;
/** Of CSV; in NDJSON the last two are one object, `renewal`. */
export const REMINDER_COLUMNS = ['remind_days', 'renewal_on', 'renewal_note'] as const;
/** Of CSV; in NDJSON one object, `expected`. */
export const EXPECTED_COLUMNS = ['expected_nameservers', 'expected_registrar_id', 'expected_locked'] as const;
export const INPUT_COLUMNS = [
  ...(['domain', 'interval_minutes', 'expiring_window_days', 'tags', 'note', 'intent'] as const),
] as const;

/**
 * Protection against CSV injection: a spreadsheet runs a cell that starts with one of these as a formula. An export
 * puts a quote in front of it, and an import removes it. Some spreadsheets split at `;` or tabs inside quoted cells too,
 * so a cell may also start after those and after a line end.
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

/** Joined by `;`; inside a tag it is written `\;`, and a backslash `\\`. */
export function formatTags(tags: readonly string[]): string {
  return escapeFormula(tags.map((tag) => tag.replace(/[\\;]/g, '\\$&')).join(';'));
}

/** Joined by `;`. Empty: the default days; `none`: no reminder. */
export function formatRemindDays(days: readonly number[] | null): string {
  if (days === null) return '';
  return days.length === 0 ? 'none' : days.join(';');
}

/** What is no whole number stays text, which the rules of the field reject. */
export function parseRemindDays(cell: string): unknown[] {
  if (cell.trim() === 'none') return [];
  return cell.split(';').map((part) => (/^\s*\d{1,9}\s*$/.test(part) ? Number(part) : part));
}

/** Joined by `;`. Empty: any; `none`: no name server. */
export function formatHosts(hosts: readonly string[] | undefined): string {
  return hosts?.length === 0 ? 'none' : (hosts ?? []).join(';');
}

export function parseHosts(cell: string): string[] {
  return cell.trim() === 'none' ? [] : cell.split(';').map((host) => host.trim());
}

/** What is neither `true` nor `false` stays text, which the rules of the field reject. */
export function parseBoolean(cell: string): boolean | string {
  const text = cell.trim().toLowerCase();
  return text === 'true' || text === 'false' ? text === 'true' : cell;
}

export function parseTags(cell: string): string[] {
  const parts = unescapeFormula(cell).match(/(?:\\[\\;]|[^;])+/g) ?? [];
  return parts.map((part) => part.replace(/\\([\\;])/g, '$1').trim()).filter((tag) => tag !== '');
}
