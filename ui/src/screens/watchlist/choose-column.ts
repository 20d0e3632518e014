export interface FileColumn {
  readonly name: string;
  readonly field: string | null;
}

/** Which column has each field; tags and name servers may be in several. */
export type ChosenColumns = Readonly<Record<string, string | readonly string[]>>;

const LISTS: readonly string[] = ['tags', 'expected_nameservers'];

/** The choice for all columns after one is taken for a field, or for none. Of another field than a list it takes the place. */
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
