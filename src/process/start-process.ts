import type { Config } from '../config/config.js';
import type { Extensions } from '../extensions/extensions.js';
import { assertCanListen, metricsAddress, serviceAddress } from '../platform/listen.js';
import { type ShutdownStack, startUnlessStopped } from './shutdown.js';
import { DataDirectory } from './data-directory.js';
import { acquireServiceLock } from './directory-lock.js';
import { waitForDatabase, explainDatabaseErrors } from './explain-database-errors.js';
import { keepEmbeddedDatabase, withEmbeddedDatabase } from './open-database.js';

export interface RunningProcess {
  /** `http://127.0.0.1:41234` */
  readonly address: string;
  /** The text of the first account's key, when this start made that account. */
  readonly newKey: string | null;
  /** The file with the first account's key, while it is there. */
  readonly keyFile: string | null;
  /** Resolves with why, when the embedded PostgreSQL ended and is not started again. */
  readonly databaseEnded: Promise<string>;
  /** Resolves with by how many milliseconds, when PostgreSQL's clock was moved and this process has to start again. */
  readonly clockMoved: Promise<number>;
  /** Tells balancers to send no more requests; later requests are served. */
  readonly retire: () => void;
}

/**
 * Takes the data directory, starts its PostgreSQL unless the settings name another, and the service on it. Everything
 * that it opens goes to `closing`, also when the start fails half-way.
 * @throws StartupError, InvalidConfigurationError, or the reason of `stop` when that comes first
 */
export async function startProcess(
  config: Config,
  extensions: Extensions,
  shutdown: ShutdownStack,
  stop: AbortSignal,
): Promise<RunningProcess> {
  const directory = DataDirectory.open(config.dataDir);
  const lock = await acquireServiceLock(directory, stop, config.role);
  shutdown.push(() => lock.release());
  shutdown.push(() => directory.deleteAddress());
  directory.deleteAddress(); // that of a service which was killed
  await assertCanListen([serviceAddress(config), metricsAddress(config)]); // the one before has let go of them

  const { database, startService } = await startDatabaseAndLoadService(config, directory, shutdown);
  stop.throwIfAborted();
  const key = config.databaseUrl === null ? await prepareFirstKey(directory) : null;
  const start = () => startService(database.config, { extensions, ...(key ? { firstKey: key.text } : {}) });
  const starting = explainDatabaseErrors(config, () => waitForDatabase(config, start, stop));
  const service = await startUnlessStopped(starting, stop);
  shutdown.push(() => service.close());
  if (key?.fresh && service.firstKey === null) directory.deleteFirstKey(); // there were accounts already
  stop.throwIfAborted();

  const { mailRelay } = await import('../platform/diagnostics.js');
  directory.writeServiceFacts({ mailRelay: mailRelay(config) });
  directory.writeAddress(service.address);
  const keyFile = directory.firstKey() === null ? null : directory.firstKeyPath;
  const { address, clockMoved, retire, firstKey: newKey } = service;
  return { address, newKey, keyFile, databaseEnded: database.ended, clockMoved, retire };
}

/** Loading the service takes about as long as starting PostgreSQL, on another core. */
async function startDatabaseAndLoadService(config: Config, directory: DataDirectory, shutdown: ShutdownStack) {
  const loading = import('../app/bootstrap.js');
  // Its failure is met below, once there is a PostgreSQL to stop.
  loading.catch(() => undefined);
  const database = await startDatabase(config, directory, shutdown);
  const { startService } = await loading;
  return { database, startService };
}

const NEVER = new Promise<never>(() => undefined);

async function startDatabase(config: Config, directory: DataDirectory, shutdown: ShutdownStack) {
  if (config.databaseUrl !== null) return { config, ended: NEVER };
  const { stop, ended, ...urls } = await keepEmbeddedDatabase(directory, config, restartLog);
  shutdown.push(stop);
  return { config: withEmbeddedDatabase(config, directory, urls), ended };
}

/** Nothing of Nest is needed to start PostgreSQL, and it is loaded by the time that anything is written here. */
const restartLog = {
  error: (sentence: string) => void createRestartLogger().then((logger) => logger.error(sentence)),
  log: (sentence: string) => void createRestartLogger().then((logger) => logger.log(sentence)),
};

async function createRestartLogger() {
  const { Logger } = await import('@nestjs/common');
  return new Logger('PostgreSQL');
}

/**
 * The key for the first account, in its file before the account is in the database: a crash between the two leaves a
 * key that the next start offers again, never an account without a known key.
 */
async function prepareFirstKey(directory: DataDirectory): Promise<{ text: string; fresh: boolean }> {
  const kept = directory.firstKey();
  if (kept !== null) return { text: kept, fresh: false };
  const { generateApiKey } = await import('../auth/index.js');
  return { text: directory.getOrCreateFirstKey(() => generateApiKey().text), fresh: true };
}
