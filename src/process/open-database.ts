import { setTimeout as pause } from 'node:timers/promises';
import { realpathSync } from 'node:fs';
import type { Config } from '../config/config.js';
import { StartupError } from './startup-error.js';
import { DataDirectory } from './data-directory.js';
import { DirectoryLock, readHolder } from './directory-lock.js';
import {
  databaseUrls,
  type DatabaseUrls,
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from './postgres/embedded-postgres.js';
import { findPostmaster } from './postgres/postmaster.js';
import { type RestartLog, startSupervised } from './postgres/supervised-postgres.js';

export interface OpenDatabase {
  readonly url: string;
  readonly config: Config;
  readonly close: () => Promise<void>;
}

const OPEN_TIMEOUT_MS = 30_000;

/**
 * Opens the database of DATABASE_URL, or the database of a running service. Without either, starts the embedded
 * database, which `close` stops.
 * @throws StartupError, InvalidConfigurationError
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
    const { stop, ...urls } = await startEmbeddedPostgres({ ...embeddedOptions(directory), ...roomFor(config) });
    const close = () => stop().finally(() => lock.release());
    return { url: urls.url, config: withEmbeddedDatabase(config, directory, urls), close };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Starts the embedded PostgreSQL, and restarts it if it dies. The caller must have the directory's lock. */
export function keepEmbeddedDatabase(
  directory: DataDirectory,
  config: Config,
  log: RestartLog,
): Promise<EmbeddedPostgres> {
  const options = { ...embeddedOptions(directory), ...roomFor(config) };
  return startSupervised((again) => startEmbeddedPostgres({ ...options, ...again }), log);
}

/** SqlClient and the ORM have two pools each. Queues, workers and commands share 40 more connections. */
function roomFor({ databasePool }: Config) {
  return { maxConnections: 4 * databasePool + 40 };
}

function embeddedOptions(directory: DataDirectory) {
  return {
    cluster: directory.cluster,
    password: directory.databasePassword(),
    ownerPassword: directory.ownerPassword(),
  };
}

/** Returns the URLs of a running service's embedded PostgreSQL. Returns null if PostgreSQL is not ready. */
function findRunningDatabase(directory: DataDirectory): DatabaseUrls | null {
  if (!directory.hasCluster) return null;
  const server = findPostmaster(realpathSync(directory.cluster));
  return server?.ready ? databaseUrls(embeddedOptions(directory), server.port) : null;
}

/** If the settings have a master key, the directory's own key is only used to decrypt. */
export function withEmbeddedDatabase(config: Config, directory: DataDirectory, urls: DatabaseUrls): Config {
  const own = config.masterKeys.length === 0 ? directory.masterKey() : directory.existingMasterKey();
  const keys = new Set(own === null ? config.masterKeys : [...config.masterKeys, own]);
  return config.withDatabase(urls, [...keys], directory.cluster);
}
