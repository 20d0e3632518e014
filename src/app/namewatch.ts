import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Extension } from '../extensions/extension.js';
import { Config, readConfig } from '../config/config.js';
import { InvalidConfigurationError } from '../config/invalid-configuration.error.js';

/** The whole service inside the process of another application, without its own server. */
export abstract class Namewatch {
  /**
   * Answers requests at or below the path of {@link NamewatchOptions}. Call before the request's body is read.
   * @returns false for other URLs
   */
  abstract handle(request: IncomingMessage, response: ServerResponse): boolean;

  /** Waits for requests and jobs in progress, at most DRAIN_SECONDS, then closes all connections. */
  abstract close(): Promise<void>;
}

/** The options of `createNamewatch` besides the settings. */
export interface NamewatchOptions {
  /** Extensions to load in addition to the setting EXTENSIONS. */
  readonly extensions?: readonly Extension[];
  /** The path below the host application's URL, such as `/names`. */
  readonly path: string;
}

/** The settings, as `readNamewatchConfig` read them. Only the members below are stable. */
export interface NamewatchConfig {
  readonly role: 'all' | 'api' | 'worker' | 'scheduler';
}

/**
 * Reads the settings from environment variables.
 * @param env replaces the environment of this process
 * @throws InvalidConfigurationError with all problems, not only the first
 */
export function readNamewatchConfig(env?: Readonly<Record<string, string | undefined>>): NamewatchConfig {
  return readConfig(env);
}

/** @throws InvalidConfigurationError if the config was made by hand, or by another copy of the package */
export function toConfig(config: NamewatchConfig): Config {
  if (config instanceof Config) return config;
  throw new InvalidConfigurationError(['the config of Namewatch must come from readNamewatchConfig of this package']);
}
