import type { AbstractSqlConnection } from '@mikro-orm/postgresql';
import { setTimeout as pause } from 'node:timers/promises';

const CREATES_INDEX = /create\s+(?:unique\s+)?index\s+concurrently\s+(?:if\s+not\s+exists\s+)?"?(\w+)"?/gi;
const RETRY_INTERVAL_MS = 500;

interface UnfinishedIndex {
  readonly drop: string;
  readonly being_built: boolean;
}

/**
 * Drops indexes that a crash left invalid: they are maintained but never read, and `if not exists` would take them for
 * finished. An index that the server is still building, although the client died, is awaited.
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

function indexesCreatedBy(statement: string): string[] {
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
