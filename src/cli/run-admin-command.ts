import { readConfig } from '../config/config.js';
import { loadExtensions } from '../extensions/load-extensions.js';
import { DomainError } from '../kernel/domain-error.js';
import { explainDatabaseErrors } from '../process/database/explain-database-errors.js';
import { openDatabase } from '../process/database/open-database.js';
import { userInfo } from 'node:os';
import type { AdminContext } from '../app/admin.js';
import { CommandError, EXIT } from './exit-codes.js';
import { toPrintableJson, toPrintableLines } from './terminal/printable.js';
import { logToStderr } from './terminal/stderr-logger.js';

const EXIT_CODES: Readonly<Record<string, number>> = { not_found: EXIT.notFound };

/** Runs one piece of administration straight on the database, whether the service runs or not. */
export async function runAdminCommand<Result>(work: (context: AdminContext) => Promise<Result>): Promise<Result> {
  const config = readConfig();
  const extensions = await loadExtensions(config);
  await logToStderr();
  const database = await openDatabase(config);
  try {
    const { openAdminContext } = await import('../app/admin.js');
    return await explainDatabaseErrors(config, async () => {
      const context = await openAdminContext(database.config, extensions, findUserName());
      try {
        return await work(context);
      } finally {
        await context.close();
      }
    });
  } catch (error) {
    if (error instanceof DomainError) throw new CommandError(EXIT_CODES[error.code] ?? EXIT.refused, error.message);
    throw error;
  } finally {
    await database.close();
  }
}

/** null for a user without a name, as containers often have. */
function findUserName(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}

/** One line of JSON for scripts, or what a person reads: text of registries and people cannot control a terminal. */
export function print(json: boolean | undefined, machine: unknown, human: readonly string[]): void {
  console.log(json ? toPrintableJson(machine) : toPrintableLines(human.join('\n')));
}
