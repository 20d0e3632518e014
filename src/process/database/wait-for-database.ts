import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../../config/config.js';
import { InvalidConfigurationError } from '../../config/invalid-configuration.error.js';
import { explainAsProblem } from './explain-database-errors.js';

const RETRY_INTERVAL_MS = 1_000;

/**
 * Repeats a start that fails because PostgreSQL starts, recovers or cannot be reached, for DATABASE_WAIT_SECONDS: the
 * service starts together with its database as often as after it. Each reason is a line on stderr, since nothing has
 * set up a log yet.
 * @throws the last failure
 */
export async function waitForDatabase<Result>(
  config: Config,
  start: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const { isDatabaseUnavailable } = await import('../../platform/database/database-unavailable.js');
  const deadline = performance.now() + config.databaseWaitSeconds * 1_000;
  const reasons = new Set<string>();
  for (;;) {
    try {
      return await start();
    } catch (error) {
      const isFinal = error instanceof InvalidConfigurationError || !isDatabaseUnavailable(error);
      if (isFinal || performance.now() >= deadline) throw error;
      const reason = (await explainAsProblem(error as Error, config)) ?? (error as Error).message;
      if (!reasons.has(reason)) console.error(`waiting for PostgreSQL: ${reason}`);
      reasons.add(reason);
      await pause(RETRY_INTERVAL_MS, undefined, { signal });
    }
  }
}
