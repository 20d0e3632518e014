/** One array parameter per column, for `unnest`. */
export function unnestParams<Row>(rows: readonly Row[]) {
  return (column: keyof Row) => rows.map((row) => row[column]);
}
