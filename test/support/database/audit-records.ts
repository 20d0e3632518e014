import type { TestService } from '../servers/test-service.js';

type Row = Record<string, unknown>;

export async function auditRecords(
  database: Pick<TestService, 'query'>,
  condition = 'true',
  values: unknown[] = [],
): Promise<Row[]> {
  const { rows } = await database.query<Row>(`select * from audit_records where ${condition} order by seq`, values);
  return rows;
}

/** The audit records of an act. */
export async function auditRecordsOf(
  database: Pick<TestService, 'query'>,
  act: () => Promise<unknown>,
): Promise<Row[]> {
  const { rows } = await database.query<{ last: string }>('select coalesce(max(seq), 0) as last from audit_records');
  await act();
  return auditRecords(database, 'seq > $1', [rows[0]?.last]);
}
