/** Writes a number as people read it: three significant digits at least, thousands set apart. */
export function toText(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 3;
  const [whole = '', fraction = ''] = value.toFixed(digits).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ' ');
  const rest = fraction.replace(/0+$/, '');
  return rest === '' ? grouped : `${grouped}.${rest}`;
}

/** A table as prettier writes it, so that a formatter changes nothing. @param rows the heading first */
export function toTable(rows: readonly (readonly string[])[], numeric: readonly boolean[]): string {
  const widths = numeric.map((_, column) => Math.max(3, ...rows.map((row) => [...(row[column] ?? '')].length)));
  const pad = (text: string, column: number) => {
    const width = (widths[column] ?? 0) + text.length - [...text].length;
    return numeric[column] ? text.padStart(width) : text.padEnd(width);
  };
  const [head = [], ...body] = rows.map((row) => `| ${row.map(pad).join(' | ')} |`);
  const rule = widths.map((width, column) => (numeric[column] ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width)));
  return [String(head), `| ${rule.join(' | ')} |`, ...body].join('\n');
}
