import type { Config } from '../config/config.js';
import type { Extensions } from '../extensions/extensions.js';
import { assertCanListen, metricsAddress, serviceAddress } from '../platform/listen.js';
import { startUnlessStopped } from './shutdown.js';
import { DataDirectory } from './data-directory.js';
import { acquireServiceLock } from './directory-lock.js';
import { waitForDatabase, explainDatabaseErrors } from './explain-database-errors.js';
import { keepEmbeddedDatabase, withEmbeddedDatabase } from './open-database.js';

export interface RunningProcess {
  /** Such as `http://127.0.0.1:41234`. */
  readonly address: string;
  /** The first account's key, if this start made that account. */
  readonly newKey: string | null;
  /** The file with the first account's key, if it still exists. */
  readonly keyFile: string | null;
  /** Resolves with the reason when the embedded PostgreSQL has ended and is not restarted. */
  readonly databaseEnded: Promise<string>;
  /** Resolves with the milliseconds by which PostgreSQL's clock was moved. The process must restart then. */
  readonly clockMoved: Promise<number>;
  /** Tells load balancers to send no more requests. Requests that still come are served. */
  readonly retire: () => void;
}

/**
 * Locks the data directory, starts the embedded PostgreSQL if needed, and starts the service. Registers everything to
 * close in `shutdown`, even if the start fails halfway.
 * @throws StartupError, InvalidConfigurationError, or the reason of `stop` when that comes first
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
  directory.deleteAddress(); // a killed service may have left it
  // Checked under the lock, because the service that held the lock before has released its ports.
  await assertCanListen([serviceAddress(config), metricsAddress(config)]);

  const { database, startService } = await startDatabaseAndLoadService(config, directory, shutdown);
  stop.throwIfAborted();
  const key = config.databaseUrl === null ? await prepareFirstKey(directory) : null;
  const start = () => startService(database.config, { extensions, ...(key ? { firstKey: key.text } : {}) });
  const starting = explainDatabaseErrors(config, () => waitForDatabase(config, start, stop));
  const service = await startUnlessStopped(starting, stop);
  shutdown.defer(() => service.close());
  if (key?.fresh && service.firstKey === null) directory.deleteFirstKey(); // the database already has accounts
  stop.throwIfAborted();

  const { mailRelay } = await import('../platform/diagnostics.js');
  directory.writeServiceFacts({ mailRelay: mailRelay(config) });
  directory.writeAddress(service.address);
  const keyFile = directory.firstKey() === null ? null : directory.firstKeyPath;
  const { address, clockMoved, retire, firstKey: newKey } = service;
  return { address, newKey, keyFile, databaseEnded: database.ended, clockMoved, retire };
}

/** Loads the service while PostgreSQL starts, since this saves time. */
async function startDatabaseAndLoadService(config: Config, directory: DataDirectory, shutdown: AsyncDisposableStack) {
  const loading = import('../app/bootstrap.js');
  // Marks a rejection as handled, since the code below awaits `loading` only later.
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

/** Loads Nest's logger only when it is needed, since PostgreSQL can start without it. */
const restartLog = {
  error: (sentence: string) => void createRestartLogger().then((logger) => logger.error(sentence)),
  log: (sentence: string) => void createRestartLogger().then((logger) => logger.log(sentence)),
};

async function createRestartLogger() {
  const { Logger } = await import('@nestjs/common');
  return new Logger('PostgreSQL');
}

/**
 * Writes the key of the first account to its file before the account is in the database. After a crash in between, the
 * next start uses this key. So there is never an account whose key is unknown.
 */
async function prepareFirstKey(directory: DataDirectory): Promise<{ text: string; fresh: boolean }> {
  const kept = directory.firstKey();
  if (kept !== null) return { text: kept, fresh: false };
  const { generateApiKey } = await import('../auth/index.js');
  return { text: directory.getOrCreateFirstKey(() => generateApiKey().text), fresh: true };
}
