import { Config, readConfig } from '../config/config.js';
import { InvalidConfigurationError } from '../config/invalid-configuration.error.js';

/** The settings of an installation as `readNamewatchConfig` read them; what else it holds is not promised. */
export interface NamewatchConfig {
  readonly role: 'all' | 'api' | 'worker' | 'scheduler';
}

/**
 * Reads settings by their names in the environment.
 * @param env instead of the environment of this process
 * @throws InvalidConfigurationError naming everything that is wrong at once
 */
export function readNamewatchConfig(env?: Readonly<Record<string, string | undefined>>): NamewatchConfig {
  return readConfig(env);
}

/** @throws InvalidConfigurationError when it was made by hand, or by another copy of the package */
export function toConfig(config: NamewatchConfig): Config {
  if (config instanceof Config) return config;
  throw new InvalidConfigurationError(['the config of Namewatch must come from readNamewatchConfig of this package']);
}
