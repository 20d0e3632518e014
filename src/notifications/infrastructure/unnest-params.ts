/** A column of many rows, as `unnest` takes it: one statement, and one parameter for each column. */
export function unnestParams<Row>(rows: readonly Row[]) {
  return (column: keyof Row) => rows.map((row) => row[column]);
}
