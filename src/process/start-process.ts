import type { Config } from '../config/config.js';
import type { Extensions } from '../extensions/extensions.js';
import { assertCanListen, metricsAddress, serviceAddress } from '../platform/listen.js';
import { startUnlessStopped } from './shutdown.js';
import { DataDirectory } from './data-directory.js';
import { acquireServiceLock } from './directory-lock.js';
import { waitForDatabase, explainDatabaseErrors } from './explain-database-errors.js';
import { keepEmbeddedDatabase, withEmbeddedDatabase } from './open-database.js';

export interface RunningProcess {
  /** The URL of the service, such as `http://127.0.0.1:41234`. */
  readonly address: string;
  /** The API key of the first account, if this start made the account. */
  readonly newKey: string | null;
  /** The path of the file with the first account's API key, if the file still exists. */
  readonly keyFile: string | null;
  /** Resolves with the reason if the embedded PostgreSQL has ended and is not restarted. */
  readonly databaseEnded: Promise<string>;
  /** Resolves if PostgreSQL's clock was changed, with the difference in milliseconds. The process must then restart. */
  readonly clockMoved: Promise<number>;
  /**
   * Reports the process as not ready, so that load balancers send requests elsewhere. Later requests are still served.
   */
  readonly retire: () => void;
}

/**
 * Adds each cleanup to `shutdown`, so that the caller can also clean up after a failed start.
 * @throws StartupError, InvalidConfigurationError, or the reason of `stop`
 */
export async function startProcess(
  config: Config,
  extensions: Extensions,
  shutdown: AsyncDisposableStack,
  stop: AbortSignal,
): Promise<RunningProcess> {
  const directory = DataDirectory.open(config.dataDir);
  const lock = await acquireServiceLock(directory, stop, config.role);
  shutdown.defer(() => lock.release());
  shutdown.defer(() => directory.deleteAddress());
  directory.deleteAddress(); // a killed service may have left an address
  // Must come after the lock. A service that stops releases its ports first and its lock last.
  await assertCanListen([serviceAddress(config), metricsAddress(config)]);

  const { database, startService } = await startDatabaseAndLoadService(config, directory, shutdown);
  stop.throwIfAborted();
  const key = config.databaseUrl === null ? await prepareFirstKey(directory) : null;
  const start = () => startService(database.config, { extensions, ...(key ? { firstKey: key.text } : {}) });
  const starting = explainDatabaseErrors(config, () => waitForDatabase(config, start, stop));
  const service = await startUnlessStopped(starting, stop);
  shutdown.defer(() => service.close());
  // If the database already has accounts, the service has made no account with this key.
  if (key?.fresh && service.firstKey === null) directory.deleteFirstKey();
  stop.throwIfAborted();

  const { mailRelay } = await import('../platform/diagnostics.js');
  directory.writeServiceFacts({ mailRelay: mailRelay(config) });
  directory.writeAddress(service.address);
  const keyFile = directory.firstKey() === null ? null : directory.firstKeyPath;
  const { address, clockMoved, retire, firstKey: newKey } = service;
  return { address, newKey, keyFile, databaseEnded: database.ended, clockMoved, retire };
}

/** Loads the service's code while PostgreSQL starts, to save time. */
async function startDatabaseAndLoadService(config: Config, directory: DataDirectory, shutdown: AsyncDisposableStack) {
  const loading = import('../app/bootstrap.js');
  // Keeps an early failure from counting as unhandled, because the code below awaits `loading` only later.
  loading.catch(() => undefined);
  const database = await startDatabase(config, directory, shutdown);
  const { startService } = await loading;
  return { database, startService };
}

const NEVER = new Promise<never>(() => undefined);

async function startDatabase(config: Config, directory: DataDirectory, shutdown: AsyncDisposableStack) {
  if (config.databaseUrl !== null) return { config, ended: NEVER };
  const { stop, ended, ...urls } = await keepEmbeddedDatabase(directory, config, restartLog);
  shutdown.defer(stop);
  return { config: withEmbeddedDatabase(config, directory, urls), ended };
}

/** Loads Nest's logger only when there is something to log, so that PostgreSQL's start need not wait for Nest. */
const restartLog = {
  error: (sentence: string) => void createRestartLogger().then((logger) => logger.error(sentence)),
  log: (sentence: string) => void createRestartLogger().then((logger) => logger.log(sentence)),
};

async function createRestartLogger() {
  const { Logger } = await import('@nestjs/common');
  return new Logger('PostgreSQL');
}

/** Writes the first account's API key to its file before the account exists, so that a crash loses no key. */
async function prepareFirstKey(directory: DataDirectory): Promise<{ text: string; fresh: boolean }> {
  const kept = directory.firstKey();
  if (kept !== null) return { text: kept, fresh: false };
  const { generateApiKey } = await import('../auth/index.js');
  return { text: directory.getOrCreateFirstKey(() => generateApiKey().text), fresh: true };
}
