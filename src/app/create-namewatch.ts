import type { Namewatch, NamewatchOptions } from './namewatch.js';
import { type NamewatchConfig, toConfig } from './namewatch-config.js';

/**
 * Migrates the database, then starts all that the role says, in this process.
 * @throws InvalidConfigurationError saying in a sentence what is wrong with a setting, an extension or the database
 */
export async function createNamewatch(config: NamewatchConfig, options: NamewatchOptions): Promise<Namewatch> {
  // Loaded here, since extensions import this file in commands that serve nothing.
  const { MountedNamewatch } = await import('./mounted-namewatch.js');
  return MountedNamewatch.start(toConfig(config), options);
}
