import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../config/config.js';
import { InvalidConfigurationError } from '../config/invalid-configuration.error.js';
import { StartupError } from './startup-error.js';

/**
 * Runs `work`. If the database cannot be used, the error explains the reason in one sentence.
 * @throws InvalidConfigurationError, or StartupError when PostgreSQL ended an established connection
 */
export async function explainDatabaseErrors<Result>(config: Config, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof InvalidConfigurationError) throw cause;
    const problem = await explainAsProblem(cause as Error, config);
    if (problem !== null) throw new InvalidConfigurationError([problem], { cause });
    const { isConnectionLost } = await import('../platform/database/database-unavailable.js');
    throw isConnectionLost(cause) ? new StartupError(CONNECTION_LOST, { cause }) : cause;
  }
}

const CONNECTION_LOST = 'PostgreSQL ended the connection while it was in use: try again';

/** Explains an error in one sentence. Returns null if no database setting explains the error. */
async function explainAsProblem(error: Error, { databaseUrl, migrationDatabaseUrl }: Config): Promise<string | null> {
  if (databaseUrl === null) return embeddedProblem(error);
  const { explainDatabaseError } = await import('../platform/database/explain-database-error.js');
  if (error.name !== 'MigrationUserFailed' || migrationDatabaseUrl === null)
    return explainDatabaseError(error, databaseUrl);
  return explainDatabaseError(error, migrationDatabaseUrl, 'MIGRATION_DATABASE_URL');
}

/** Explains only tables of another version, because DATA_DIR is the only setting of the embedded database. */
function embeddedProblem({ name, message }: Error): string | null {
  return name === 'DatabaseOfAnotherVersion' ? `DATA_DIR: ${message}` : null;
}

const RETRY_INTERVAL_MS = 1_000;
const WAIT_MS = 60_000;

/**
 * Repeats `start` for a minute while PostgreSQL is unavailable, because PostgreSQL often starts at the same time as the
 * service.
 * @throws the last failure
 */
export async function waitForDatabase<Result>(
  config: Config,
  start: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const { isDatabaseUnavailable, isLoginRefused } = await import('../platform/database/database-unavailable.js');
  const deadline = performance.now() + WAIT_MS;
  const reasons = new Set<string>();
  for (;;) {
    try {
      return await start();
    } catch (error) {
      const mayPass = isDatabaseUnavailable(error) && !isLoginRefused(error);
      const isFinal = error instanceof InvalidConfigurationError || !mayPass;
      if (isFinal || performance.now() >= deadline) throw error;
      const reason = (await explainAsProblem(error as Error, config)) ?? (error as Error).message;
      if (!reasons.has(reason)) console.error(`waiting for PostgreSQL: ${reason}`); // there is no log yet
      reasons.add(reason);
      await pause(RETRY_INTERVAL_MS, undefined, { signal });
    }
  }
}
