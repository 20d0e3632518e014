/**
 * How values stand in cells. A spreadsheet takes a cell for a formula that begins with one of these, and runs what
 * somebody else wrote (CSV injection): an export puts a quote in front, and an import takes it off again. Where `;` parts
 * cells, or tabs do, quotation marks hold nothing together, so that a cell may begin behind any of these and behind a
 * line end.
 */
const FORMULA = '=+\\-@＝＋－＠';
const FIRST = `(?<![^])(?=['"]*[${FORMULA}\\t\\r\\n])`;
const LATER = `(?<=[;\\t\\r\\n])(?=['"]*[${FORMULA}])`;
const UNGUARDED = new RegExp(`${FIRST}|${LATER}`, 'g');
const GUARD = new RegExp(`(?:${FIRST}|${LATER})'`, 'g');

export function guarded(text: string): string {
  return text.replace(UNGUARDED, "'");
}

export function unguarded(cell: string): string {
  return cell.replace(GUARD, '');
}

/** With `;` between; one inside a tag is written `\;`, and a backslash `\\`. */
export function tagsCell(tags: readonly string[]): string {
  return guarded(tags.map((tag) => tag.replace(/[\\;]/g, '\\$&')).join(';'));
}

export function tagsIn(cell: string): string[] {
  const parts = unguarded(cell).match(/(?:\\[\\;]|[^;])+/g) ?? [];
  return parts.map((part) => part.replace(/\\([\\;])/g, '$1').trim()).filter((tag) => tag !== '');
}
