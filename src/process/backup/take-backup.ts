import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync, realpathSync, chmodSync } from 'node:fs';
import { join } from 'node:path';
import { isDatabaseUnavailable } from '../../platform/database/database-unavailable.js';
import { type Table, type TableSnapshot, withSnapshot } from '../../platform/database/table-snapshot.js';
import { KEY_FILES } from '../data-directory.js';
import { errorMessage, RefusalError, StartupError } from '../startup-error.js';
import { BackupDraft } from './backup-draft.js';
import { explainFileError, makeClosedFolder, type ReportProgress, syncToDisk } from './files.js';
import { type ListedFile, type ListedTable, type Manifest, writeManifest } from './manifest.js';
import { writeTable } from './table-file.js';

export interface BackupOptions {
  /** The connection URL of a database user who may read everything. */
  readonly url: string;
  /** The folder for the backup. It must be empty, or not exist. */
  readonly folder: string;
  /** The data directory, whose keys are also backed up. It is null if DATABASE_URL names the database. */
  readonly dataDir: string | null;
  readonly signal: AbortSignal;
  readonly report: ReportProgress;
  /** Checks whether a key in the data directory decrypts every secret in the database. */
  readonly hasMasterKey: () => Promise<boolean>;
}

/**
 * Writes a consistent snapshot, even while the service runs.
 * @throws StartupError after removing the unfinished backup
 */
export async function takeBackup(options: BackupOptions): Promise<Manifest> {
  const { url, folder, dataDir, signal } = options;
  const startedAt = new Date();
  let draft: BackupDraft | null = null;
  try {
    signal.throwIfAborted();
    const manifest = await withSnapshot(url, signal, async (snapshot) => {
      draft = BackupDraft.open(folder, dataDir === null ? [] : [dataDir, join(dataDir, 'pg')].map(real));
      const written = await write(draft.path, snapshot, { ...options, startedAt });
      await draft.finish();
      return written;
    });
    if (!manifest) throw new RefusalError('the database has no tables of Namewatch');
    return manifest;
  } catch (error) {
    (draft as BackupDraft | null)?.remove();
    if (signal.aborted) throw signal.reason;
    if (draft !== null && isDatabaseUnavailable(error))
      throw new StartupError(`the database went away during the backup: ${errorMessage(error)}; try again`);
    throw explainFileError(error, `cannot write the backup to ${folder}`);
  }
}

const real = (path: string) => (existsSync(path) ? realpathSync(path) : path);

interface WriteOptions extends BackupOptions {
  readonly startedAt: Date;
}

async function write(draft: string, snapshot: TableSnapshot, options: WriteOptions): Promise<Manifest> {
  const { dataDir, startedAt, signal, report, hasMasterKey } = options;
  const tables: Record<string, ListedTable> = {};
  makeClosedFolder(join(draft, 'tables'));
  const all = sum(snapshot.tables);
  for (const [at, table] of snapshot.tables.entries()) {
    const before = sum(snapshot.tables.slice(0, at));
    let read = 0;
    const onBytes = (bytes: number) => report('copying', before + Math.min((read += bytes), table.bytes), all);
    const path = `tables/${encodeURIComponent(table.name)}.copy.gz`;
    const written = await writeTable(snapshot.rowsOf(table), join(draft, path), { signal, onBytes });
    tables[table.name] = { path, columns: table.columns, ...written };
  }
  const keys = dataDir === null ? [] : copyKeys(dataDir, draft);
  for (const { path } of keys) await syncToDisk(join(draft, path));
  await syncToDisk(join(draft, 'tables'));
  return writeManifest(draft, {
    ...snapshot.facts,
    started_at: startedAt.toISOString(),
    taken_at: snapshot.takenAt.toISOString(),
    holds_master_key: await hasMasterKey(),
    keys,
    tables,
  });
}

function copyKeys(dataDir: string, draft: string): ListedFile[] {
  const present = KEY_FILES.filter((name) => existsSync(join(dataDir, name)));
  return present.map((path) => {
    copyFileSync(join(dataDir, path), join(draft, path));
    chmodSync(join(draft, path), 0o600);
    const text = readFileSync(join(draft, path));
    return { path, bytes: text.length, sha256: createHash('sha256').update(text).digest('hex') };
  });
}

function sum(tables: readonly Table[]): number {
  return tables.reduce((bytes, table) => bytes + table.bytes, 0);
}
