import { InvalidConfigurationError } from '../../../config/invalid-configuration.error.js';
import { isDatabaseUnavailable } from '../database-unavailable.js';

/**
 * Runs one step; what its extension did wrong becomes a sentence, what the database did not allow now stays as it is.
 * @param extension null: a migration of ours
 * @throws InvalidConfigurationError
 */
export async function explainMigrationFailure(
  extension: string | null,
  migration: string,
  step: () => Promise<void>,
): Promise<void> {
  try {
    await step();
  } catch (cause) {
    if (extension === null || isDatabaseUnavailable(cause)) throw cause;
    const reason = ((cause as Error).message.split('\n')[0] ?? '').trim();
    const sentence = `EXTENSIONS: the migration ${migration} of the extension ${extension} failed: ${reason}`;
    throw new InvalidConfigurationError([sentence], { cause });
  }
}
