import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../../config/config.js';
import { StartupError } from '../startup-error.js';
import { DataDirectory } from '../data-directory/data-directory.js';
import { DirectoryLock, readHolder } from '../data-directory/directory-lock.js';
import { findRunningDatabase, startEmbeddedDatabase, withEmbeddedDatabase } from './embedded-database.js';

export interface OpenDatabase {
  readonly url: string;
  /** The settings with that address, as the modules want them. */
  readonly config: Config;
  readonly close: () => Promise<void>;
}

const OPEN_TIMEOUT_MS = 30_000;

/**
 * The database for one administration command: that of DATABASE_URL, else the one that a running service has started,
 * else the embedded one, started now and stopped by `close`. Commands that start it take turns.
 * @throws StartupError when it is there but not to be had.
 */
export async function openDatabase(config: Config): Promise<OpenDatabase> {
  if (config.databaseUrl !== null) return { url: config.databaseUrl, config, close: () => Promise.resolve() };
  const directory = DataDirectory.open(config.dataDir);
  const deadline = performance.now() + OPEN_TIMEOUT_MS;
  while (performance.now() < deadline) {
    const lock = DirectoryLock.tryAcquire(directory, 'command');
    if (lock) return startForCommand(config, directory, lock);
    const urls = readHolder(directory)?.purpose === 'service' ? findRunningDatabase(directory) : null;
    if (urls !== null)
      return { url: urls.url, config: withEmbeddedDatabase(config, directory, urls), close: () => Promise.resolve() };
    await pause(50);
  }
  const { pid = '?', purpose = 'command' } = readHolder(directory) ?? {};
  const other = purpose === 'service' ? 'and has another database: set DATABASE_URL as it has' : 'and does not end';
  throw new StartupError(`a ${purpose} (pid ${pid}) uses ${directory.path} ${other}`);
}

async function startForCommand(config: Config, directory: DataDirectory, lock: DirectoryLock): Promise<OpenDatabase> {
  try {
    const { stop, ...urls } = await startEmbeddedDatabase(directory);
    const close = () => stop().finally(() => lock.release());
    return { url: urls.url, config: withEmbeddedDatabase(config, directory, urls), close };
  } catch (error) {
    lock.release();
    throw error;
  }
}
