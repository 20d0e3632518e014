import { type Config, InvalidConfiguration } from '../config.js';

/**
 * Runs work that needs the database of DATABASE_URL; when that database cannot be used, says so in one sentence. The
 * embedded one is no setting's fault, so its failures stay as they are.
 * @throws InvalidConfiguration
 */
export async function namingDatabase<Result>({ databaseUrl }: Config, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof InvalidConfiguration) throw cause;
    const { databaseProblem } = await import('../platform/persistence/database-problem.js');
    const problem = databaseUrl === null ? newer(cause) : databaseProblem(cause, databaseUrl);
    throw problem === null ? cause : new InvalidConfiguration([problem], { cause });
  }
}

/** Only this of an embedded database is for a person to mend. */
function newer(error: unknown): string | null {
  return (error as Error).name === 'DatabaseIsNewer' ? `DATA_DIR: ${(error as Error).message}` : null;
}
