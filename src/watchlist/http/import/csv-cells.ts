/**
 * How values stand in cells. A spreadsheet takes a cell for a formula that begins with one of these, and runs what
 * somebody else wrote (CSV injection): an export puts a quote in front, and an import takes it off again. Where `;` parts
 * cells, or tabs do, quotation marks hold nothing together, so that a cell may begin behind any of these and behind a
 * line end.
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

/** With `;` between; one inside a tag is written `\;`, and a backslash `\\`. */
export function formatTags(tags: readonly string[]): string {
  return escapeFormula(tags.map((tag) => tag.replace(/[\\;]/g, '\\$&')).join(';'));
}

export function parseTags(cell: string): string[] {
  const parts = unescapeFormula(cell).match(/(?:\\[\\;]|[^;])+/g) ?? [];
  return parts.map((part) => part.replace(/\\([\\;])/g, '$1').trim()).filter((tag) => tag !== '');
}
