export interface FileColumn {
  readonly name: string;
  readonly field: string | null;
}

/** The column of each field. Tags and name servers may have several columns. */
export type ChosenColumns = Readonly<Record<string, string | readonly string[]>>;

const LISTS: readonly string[] = ['tags', 'expected_nameservers'];

/** Assigns a column to a field, or to none. Frees the field's former column, unless it may have several. */
export function chooseColumn(columns: readonly FileColumn[], name: string, field: string): ChosenColumns {
  const after = columns.map((column): FileColumn => {
    if (column.name === name) return { name, field: field === '' ? null : field };
    return column.field === field && !LISTS.includes(field) ? { ...column, field: null } : column;
  });
  const named = Map.groupBy(after, (column) => column.field);
  named.delete(null);
  return Object.fromEntries(
    [...named].map(([of, [first, ...others]]) => [
      of ?? '',
      first && others.length === 0 ? first.name : (named.get(of) ?? []).map((column) => column.name),
    ]),
  );
}
