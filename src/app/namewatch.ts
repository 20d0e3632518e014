import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Extension } from '../extensions/extension.js';
import { Config, readConfig } from '../config/config.js';
import { InvalidConfigurationError } from '../config/invalid-configuration.error.js';

/** The whole service inside another application's process, without a server of its own. */
export abstract class Namewatch {
  /**
   * Answers a request whose URL is the path or below it. It must get the request before its body is read.
   * @returns false for all other URLs: nothing was done
   */
  abstract handle(request: IncomingMessage, response: ServerResponse): boolean;

  /** Lets requests and jobs under way finish, at most for DRAIN_SECONDS, then closes all connections. */
  abstract close(): Promise<void>;
}

/** Options beside the settings. */
export interface NamewatchOptions {
  /** Added to those of the setting EXTENSIONS. */
  readonly extensions?: readonly Extension[];
  /** Its place in the host's URLs, such as `/names`. */
  readonly path: string;
}

/** The settings of an installation as `readNamewatchConfig` read them; its other members are not promised. */
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
