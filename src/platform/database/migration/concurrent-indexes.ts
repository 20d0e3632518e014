import type { AbstractSqlConnection } from '@mikro-orm/postgresql';
import { setTimeout as pause } from 'node:timers/promises';

const CREATES_INDEX = /create\s+(?:unique\s+)?index\s+concurrently\s+(?:if\s+not\s+exists\s+)?"?(\w+)"?/gi;
const RETRY_INTERVAL_MS = 500;

interface UnfinishedIndex {
  readonly drop: string;
  readonly being_built: boolean;
}

/**
 * Drops indexes of these statements that a crash left unfinished: they are kept up to date but never read, and
 * `if not exists` would take them for the finished ones. One that the server still builds, although the process that
 * asked for it is dead, is waited for.
 */
export async function dropUnfinishedIndexes(
  connection: AbstractSqlConnection,
  statements: readonly string[],
): Promise<void> {
  for (const index of statements.flatMap(indexesCreatedBy)) {
    let unfinished = await findUnfinished(connection, index);
    while (unfinished?.being_built) {
      await pause(RETRY_INTERVAL_MS);
      unfinished = await findUnfinished(connection, index);
    }
    if (unfinished) await connection.execute(unfinished.drop);
  }
}

export function indexesCreatedBy(statement: string): string[] {
  return [...statement.matchAll(CREATES_INDEX)].flatMap(([, name]) => name ?? []);
}

async function findUnfinished(connection: AbstractSqlConnection, index: string): Promise<UnfinishedIndex | undefined> {
  const found: UnfinishedIndex[] = await connection.execute(
    `select format('drop index concurrently if exists %s', indexrelid::regclass) as drop,
            exists (select from pg_stat_progress_create_index build where build.index_relid = indexrelid) as being_built
       from pg_index where indexrelid = to_regclass(?) and not indisvalid`,
    [index],
  );
  return found[0];
}
