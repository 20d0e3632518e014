import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findUnknown, migrate, migrateTo } from '../../app/migrate.js';
import type { Config } from '../../config/config.js';
import type { Extensions } from '../../extensions/extensions.js';
import { isDatabaseUnavailable } from '../../platform/database/database-unavailable.js';
import { DatabaseOfAnotherVersion } from '../../platform/database/migration/migration-history.js';
import { findMissingTables, loadTables, TargetInUse, withEmptyDatabase } from '../../platform/database/table-loader.js';
import { DataDirectory } from '../data-directory.js';
import { DirectoryLock, readHolder } from '../directory-lock.js';
import { isTaken } from '../postgres/cluster.js';
import { createFilledCluster } from '../postgres/embedded-postgres.js';
import { getOrCreateSecret, readSecret } from '../secret-file.js';
import { errorMessage, RefusalError, StartupError } from '../startup-error.js';
import { explainFileError, type ReportProgress, syncToDisk } from './files.js';
import type { Manifest } from './manifest.js';
import { readTable } from './table-file.js';
import { verifyBackup } from './verify-backup.js';

export interface RestoreOptions {
  readonly folder: string;
  /** The settings. They name the target of the restore: an empty database, or a data directory without a database. */
  readonly config: Config;
  readonly extensions: Extensions;
  /** If true, leaves out the tables of extensions that are not installed in this process. */
  readonly withoutExtensions: boolean;
  readonly signal: AbortSignal;
  readonly report: ReportProgress;
}

/**
 * Loads all rows in one transaction, so that a restore that was killed can be repeated.
 * @throws StartupError that explains the obstacle
 */
export async function restoreBackup(options: RestoreOptions): Promise<Manifest> {
  const { folder, config, signal } = options;
  const target = config.databaseUrl === null ? config.dataDir : 'the database of DATABASE_URL';
  try {
    const manifest = await verifyBackup(folder, options);
    const missing = assertKnown(manifest, options);
    if (config.databaseUrl === null) await restoreToFolder(manifest, missing, options);
    else {
      assertMasterKey(manifest, options);
      await load(manifest, missing, options, config);
    }
    return manifest;
  } catch (error) {
    throw signal.aborted ? signal.reason : explainFailure(error, `cannot restore ${folder} to ${target}`);
  }
}

const DISK_FULL = '53100';

function isDiskFull(error: unknown): boolean {
  return (error as { code?: string }).code === DISK_FULL;
}

function explainFailure(error: unknown, task: string): unknown {
  if (error instanceof TargetInUse) return new RefusalError(`${task}: ${error.message}`);
  if (isDiskFull(error)) return new StartupError(`${task}: the disk is full`);
  return explainFileError(error, task);
}

/**
 * Refuses a backup that is too new, too old, or needs missing extensions.
 * @returns the extensions whose tables are left out
 */
function assertKnown(manifest: Manifest, { folder, extensions, withoutExtensions }: RestoreOptions): readonly string[] {
  const unknown = findUnknown(manifest.migrations, manifest.extensions, extensions);
  if (unknown.isEarlier)
    throw new RefusalError(
      `${folder} is of a version before 1.0: restore it with that, and take the watchlist along from there ` +
        '("namewatch export --output watchlist.csv", then "namewatch import watchlist.csv" with this one)',
    );
  if (unknown.migrations.length > 0)
    throw new RefusalError(
      `${folder} is of a later version, which made ${unknown.migrations.join(', ')}: restore it with that`,
    );
  if (unknown.extensions.length > 0 && !withoutExtensions)
    throw new RefusalError(
      `${folder} has tables of extensions that EXTENSIONS does not name: ${unknown.extensions.join(', ')}; ` +
        'install and name them, or leave their tables out with --without-extensions',
    );
  return unknown.extensions;
}

/** Refuses a master key that differs from the backup's, because the service could not decrypt the restored secrets. */
function assertMasterKey({ keys, holds_master_key }: Manifest, { folder, config }: RestoreOptions): void {
  const key = keys.find(({ path }) => path === 'master-key');
  if (!key || !holds_master_key) return;
  const file = join(folder, key.path);
  if (!config.masterKeys.includes(readFileSync(file, 'utf8').trim()))
    throw new RefusalError(
      `MASTER_KEY is another than that of the backup: set MASTER_KEY_FILE=${file}, or a copy of it`,
    );
}

async function restoreToFolder(manifest: Manifest, missing: readonly string[], options: RestoreOptions): Promise<void> {
  const { config, folder, signal } = options;
  const directory = DataDirectory.open(config.dataDir);
  const lock = DirectoryLock.tryAcquire(directory, 'command');
  if (!lock) throw new RefusalError(inUse(directory));
  try {
    if (isTaken(directory.cluster))
      throw new RefusalError(
        `${directory.path} has a database, which stays as it is: rename that folder, or set another DATA_DIR`,
      );
    restoreKeys(folder, directory, manifest);
    const passwords = { password: directory.databasePassword(), ownerPassword: directory.ownerPassword() };
    await createFilledCluster(directory.cluster, passwords, signal, (urls) =>
      load(manifest, missing, options, config.withDatabase(urls, config.masterKeys)),
    );
    await syncToDisk(dirname(directory.cluster));
  } finally {
    lock.release();
  }
}

function inUse(directory: DataDirectory): string {
  const { pid = '?', purpose = 'command' } = readHolder(directory) ?? {};
  return `a ${purpose} (pid ${pid}) uses ${directory.path}: stop it first, or set another DATA_DIR`;
}

/**
 * Call this before the database is restored. A database without its keys would get new keys, which cannot decrypt its
 * secrets.
 */
function restoreKeys(folder: string, directory: DataDirectory, { keys }: Manifest): void {
  const texts = keys.map(({ path }) => ({
    path: join(directory.path, path),
    text: readFileSync(join(folder, path), 'utf8').trim(),
  }));
  for (const { path, text } of texts)
    if (existsSync(path) && readSecret(path) !== text)
      throw new RefusalError(`${path} is another than that of the backup: move it away, or set another DATA_DIR`);
  for (const { path, text } of texts) getOrCreateSecret(path, () => text);
}

/** Creates the tables as the backup's version had them, fills the tables, and migrates them to this version. */
async function load(
  manifest: Manifest,
  missing: readonly string[],
  { folder, extensions, withoutExtensions, signal, report }: RestoreOptions,
  config: Config,
): Promise<void> {
  const url = config.migrationDatabaseUrl ?? config.databaseUrl ?? '';
  let isOpen = false;
  try {
    await withEmptyDatabase(url, signal, async (session) => {
      isOpen = true;
      await migrateTo(config, extensions, manifest.migrations).catch(explainOtherTables);
      const unknown = await findMissingTables(session, Object.keys(manifest.tables));
      if (unknown.length > 0 && !withoutExtensions)
        throw new RefusalError(
          `${folder} has tables that no migration makes: ${unknown.join(', ')}; leave them out with --without-extensions`,
        );
      const tables = Object.fromEntries(Object.entries(manifest.tables).filter(([name]) => !unknown.includes(name)));
      let read = 0;
      const onBytes = (bytes: number) => report('restoring', (read += bytes), manifest.bytes);
      await loadTables(session, { ...manifest, tables, withoutExtensions: missing }, async (name, into) => {
        const { path = '', rows, sha256 } = tables[name] ?? {};
        const found = await readTable(join(folder, path), into, { signal, onBytes });
        if (found.rows !== rows || found.sha256 !== sha256)
          throw new RefusalError(`${folder} was changed during the restore:\n  changed: ${path}`);
      });
    });
    await migrate(config, extensions);
  } catch (error) {
    if (!isOpen || signal.aborted || isDiskFull(error) || !isDatabaseUnavailable(error)) throw error;
    throw new StartupError(`the database went away during the restore: ${errorMessage(error)}; repeat it`);
  }
}

function explainOtherTables(error: unknown): never {
  if (!(error instanceof DatabaseOfAnotherVersion)) throw error;
  throw new TargetInUse(`it has tables of another version than the backup (${error.message})`);
}
