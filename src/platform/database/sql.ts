/**
 * SQL with bound parameters. The name makes it a prepared statement, parsed once per connection, which keeps it; one with an
 * empty name is planned with its values each time.
 */
export interface SqlStatement {
  readonly name: string;
  readonly text: string;
}

/** A statement with its values. */
export class BoundSql implements SqlStatement {
  readonly name = '';

  constructor(
    readonly text: string,
    readonly values: readonly unknown[] = [],
  ) {}
}

/** Makes a statement in which `$1` stands for the first value. A statement among the values becomes a part of this one. */
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

/** Text of our own as a part of statements, such as the columns that several of them select; never a value. */
export function sqlText(text: string): BoundSql {
  return new BoundSql(text);
}
