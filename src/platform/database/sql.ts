/** Each connection parses a named statement once. With an empty name, PostgreSQL plans the statement anew each time. */
export interface SqlStatement {
  readonly name: string;
  readonly text: string;
}

export class BoundSql implements SqlStatement {
  readonly name = '';

  constructor(
    readonly text: string,
    readonly values: readonly unknown[] = [],
  ) {}
}

/** Binds values as parameters, but a BoundSql among the values becomes part of the SQL. */
export function sql(parts: TemplateStringsArray, ...given: readonly unknown[]): BoundSql {
  const values: unknown[] = [];
  const placeholders = given.map((value) => {
    if (!(value instanceof BoundSql)) return `$${values.push(value)}`;
    const offset = values.length;
    values.push(...value.values);
    return value.text.replace(/\$(\d+)/g, (_, position) => `$${Number(position) + offset}`);
  });
  return new BoundSql(parts.map((part, i) => part + (placeholders[i] ?? '')).join(''), values);
}

/** Inserts our own text into a statement, such as a list of columns. Never pass a value, because nothing is escaped. */
export function sqlText(text: string): BoundSql {
  return new BoundSql(text);
}
