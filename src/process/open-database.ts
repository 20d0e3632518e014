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
 * Opens the database for one command: that of DATABASE_URL, or else of a running service. Otherwise starts the embedded
 * database, and creates it if it is missing. `close` stops it. Only one command at a time can start it.
 * @throws StartupError when the database cannot be opened
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

/**
 * Starts the embedded PostgreSQL for a service, and restarts it if it dies. The caller must have the lock of the
 * directory.
 */
export function keepEmbeddedDatabase(
  directory: DataDirectory,
  config: Config,
  log: RestartLog,
): Promise<EmbeddedPostgres> {
  const options = { ...embeddedOptions(directory), ...roomFor(config) };
  return startSupervised((again) => startEmbeddedPostgres({ ...options, ...again }), log);
}

/**
 * Returns the number of connections that the embedded PostgreSQL needs. SqlClient and the ORM have two pools each.
 * Queues, workers and commands share 40 more connections.
 */
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

/**
 * Returns the settings with the URLs of the embedded database. If the settings have a master key, it encrypts new
 * secrets. The directory's own master key still decrypts earlier secrets.
 */
export function withEmbeddedDatabase(config: Config, directory: DataDirectory, urls: DatabaseUrls): Config {
  const own = config.masterKeys.length === 0 ? directory.masterKey() : directory.existingMasterKey();
  const keys = new Set(own === null ? config.masterKeys : [...config.masterKeys, own]);
  return config.withDatabase(urls, [...keys], directory.cluster);
}
