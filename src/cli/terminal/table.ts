/** Columns under their headers, each as wide as its widest cell. */
export function table(headers: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = headers.map((header, at) => Math.max(header.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  return [headers, ...rows].map(line);
}

/** One thing: its names on the left, what they say on the right. */
export function definitionList(facts: Readonly<Record<string, string>>): string[] {
  const width = Math.max(...Object.keys(facts).map((name) => name.length));
  return Object.entries(facts).map(([name, value]) => `${name.padEnd(width)}  ${value}`.trimEnd());
}

/** `1 line`, `2 lines`. */
export function pluralize(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
