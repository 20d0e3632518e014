import { withSession } from '../../../src/platform/database/session.js';

interface Node {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly Plans?: readonly Node[];
}

interface Run {
  readonly statement: { readonly text: string };
  readonly values: readonly unknown[];
}

/**
 * The most rows that any plan node of these statements reads, with the settings of the service's connections. Their
 * writes are rolled back.
 */
export function mostRowsRead(databaseUrl: string, run: readonly Run[]): Promise<number> {
  return withSession(databaseUrl, async (session) => {
    await session.query('set enable_seqscan = off');
    const read: number[] = [];
    for (const { statement, values } of run) {
      await session.query('begin');
      const explain = `explain (analyze, format json) ${statement.text}`;
      const { rows } = await session.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(explain, [...values]);
      await session.query('rollback');
      const [plan] = rows;
      if (plan) read.push(rowsOf(plan['QUERY PLAN'][0].Plan));
    }
    return Math.max(...read);
  });
}

const rowsOf = (node: Node): number =>
  Math.max((node['Actual Rows'] + rowsRemoved(node)) * node['Actual Loops'], ...(node.Plans ?? []).map(rowsOf));

const rowsRemoved = (node: Node): number =>
  (node['Rows Removed by Filter'] ?? 0) +
  (node['Rows Removed by Index Recheck'] ?? 0) +
  (node['Rows Removed by Join Filter'] ?? 0);
