import type { Config } from '../../config/config.js';
import { InvalidConfigurationError } from '../../config/invalid-configuration.error.js';

/**
 * Runs work that needs the database of DATABASE_URL; when that database cannot be used, says so in one sentence. The
 * embedded one is no setting's fault, so its failures stay as they are.
 * @throws InvalidConfigurationError
 */
export async function explainDatabaseErrors<Result>(config: Config, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof InvalidConfigurationError) throw cause;
    const problem = await explainAsProblem(cause as Error, config);
    throw problem === null ? cause : new InvalidConfigurationError([problem], { cause });
  }
}

/** In one sentence; null for what is no fault of the database's. */
export async function explainAsProblem(
  error: Error,
  { databaseUrl, migrationDatabaseUrl }: Config,
): Promise<string | null> {
  if (databaseUrl === null) return embeddedProblem(error);
  const { explainDatabaseError } = await import('../../platform/database/explain-database-error.js');
  if (error.name !== 'MigrationUserFailed' || migrationDatabaseUrl === null)
    return explainDatabaseError(error, databaseUrl);
  return explainDatabaseError(error, migrationDatabaseUrl, 'MIGRATION_DATABASE_URL');
}

/** Of an embedded database only this is for a person to mend. */
function embeddedProblem({ name, message }: Error): string | null {
  return name === 'DatabaseOfAnotherVersion' ? `DATA_DIR: ${message}` : null;
}
