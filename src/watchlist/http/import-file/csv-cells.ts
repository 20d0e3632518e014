/**
 * How values stand in cells. A spreadsheet takes a cell for a formula that begins with one of these, and runs what
 * somebody else wrote (CSV injection): an export puts a quote in front, and an import takes it off again.
 */
const FORMULA = /^'*[=+\-@\t\r]/;
const GUARDED = /^'+[=+\-@\t\r]/;

export function guarded(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

export function unguarded(cell: string): string {
  return GUARDED.test(cell) ? cell.slice(1) : cell;
}

/** With `;` between; one inside a tag is written `\;`, and a backslash `\\`. */
export function tagsCell(tags: readonly string[]): string {
  return guarded(tags.map((tag) => tag.replace(/[\\;]/g, '\\$&')).join(';'));
}

export function tagsIn(cell: string): string[] {
  const parts = unguarded(cell).match(/(?:\\[\\;]|[^;])+/g) ?? [];
  return parts.map((part) => part.replace(/\\([\\;])/g, '$1').trim()).filter((tag) => tag !== '');
}
