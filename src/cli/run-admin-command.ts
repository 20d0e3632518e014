import { readConfig } from '../config/config.js';
import { DomainError } from '../kernel/domain-error.js';
import { namingDatabase } from '../process/database/explain-database-errors.js';
import { openDatabase } from '../process/database/open-database.js';
import type { StoredSecrets } from '../app/admin.js';
import type { AccountLifecycle, Administration } from '../auth/index.js';
import { CommandFailed, EXIT } from './exit-codes.js';
import { logToStderr } from './terminal/stderr-logger.js';

const CODES: Readonly<Record<string, number>> = { not_found: EXIT.notFound };

/** Runs one piece of administration straight on the database, whether the service runs or not. */
export async function administer<Result>(
  work: (run: Administration, accounts: AccountLifecycle, secrets: StoredSecrets) => Promise<Result>,
): Promise<Result> {
  const config = readConfig();
  await logToStderr();
  const database = await openDatabase(config);
  try {
    const { administration } = await import('../app/admin.js');
    return await namingDatabase(config, async () => {
      const { run, accounts, secrets, close } = await administration(database.config);
      try {
        return await work(run, accounts, secrets);
      } finally {
        await close();
      }
    });
  } catch (error) {
    if (error instanceof DomainError) throw new CommandFailed(CODES[error.code] ?? EXIT.refused, error.message);
    throw error;
  } finally {
    await database.close();
  }
}

/** One line of JSON for scripts, or what a person reads. */
export function print(json: boolean | undefined, machine: unknown, human: readonly string[]): void {
  console.log(json ? JSON.stringify(machine) : human.join('\n'));
}
