import type { Config } from '../config/config.js';
import type { Closing } from './shutdown-stack.js';
import { DataDirectory } from './data-directory/data-directory.js';
import { takeForService } from './data-directory/directory-lock.js';
import { namingDatabase } from './database/explain-database-errors.js';
import { startDatabaseOf, withEmbedded } from './database/embedded-database.js';

export interface RunningProcess {
  /** `http://127.0.0.1:41234` */
  readonly address: string;
  /** The text of the first account's key, when this start made that account. */
  readonly newKey: string | null;
  /** The file with the first account's key, while it is there. */
  readonly keyFile: string | null;
  /** Resolves with its last words when the embedded PostgreSQL ends without being asked. */
  readonly databaseEnded: Promise<string>;
  /** Resolves with why, when the service can do its work no longer. */
  readonly resigned: Promise<string>;
}

/**
 * Takes the data directory, starts its PostgreSQL unless the settings name another, and the service on it. What it
 * opens it hands to `closing`, also when it fails half-way.
 * @throws CannotStart, InvalidConfiguration, or the reason of `stop` when that comes first.
 */
export async function bringUp(config: Config, closing: Closing, stop: AbortSignal): Promise<RunningProcess> {
  const directory = DataDirectory.open(config.dataDir);
  const lock = await takeForService(directory, stop, config.role);
  closing.opened(() => lock.release());
  closing.opened(() => directory.retractAddress());
  directory.retractAddress(); // that of a service which was killed

  const { database, startService } = await prepared(config, directory, closing);
  stop.throwIfAborted();
  const key = config.databaseUrl === null ? await offeredKey(directory) : null;
  const service = await namingDatabase(config, () => startService(database.config, key ? { firstKey: key.text } : {}));
  closing.opened(() => service.close());
  if (key?.fresh && service.firstKey === null) directory.dropFirstKey(); // there were accounts already
  stop.throwIfAborted();

  directory.announce(service.address);
  const keyFile = directory.firstKey() === null ? null : directory.firstKeyPath;
  const { address, resigned, firstKey: newKey } = service;
  return { address, newKey, keyFile, databaseEnded: database.ended, resigned };
}

/** Loading the service takes about as long as starting PostgreSQL, on another core. */
async function prepared(config: Config, directory: DataDirectory, closing: Closing) {
  const loading = import('../app/bootstrap.js');
  // Its failure is met below, once there is a PostgreSQL to stop.
  loading.catch(() => undefined);
  const database = await databaseFor(config, directory, closing);
  const { startService } = await loading;
  return { database, startService };
}

const NEVER = new Promise<never>(() => undefined);

async function databaseFor(config: Config, directory: DataDirectory, closing: Closing) {
  if (config.databaseUrl !== null) return { config, ended: NEVER };
  const { stop, ended, ...urls } = await startDatabaseOf(directory);
  closing.opened(stop);
  return { config: withEmbedded(config, directory, urls), ended };
}

/**
 * The key for the first account, in its file before the account is in the database: a crash between the two leaves a
 * key that the next start offers again, never an account whose key nobody has.
 */
async function offeredKey(directory: DataDirectory): Promise<{ text: string; fresh: boolean }> {
  const kept = directory.firstKey();
  if (kept !== null) return { text: kept, fresh: false };
  const { generateKey } = await import('../auth/index.js');
  return { text: directory.keepFirstKey(() => generateKey().text), fresh: true };
}
