import { realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type DatabaseContent, readWholeDatabase } from '../../platform/database/online-backup.js';
import { withSession } from '../../platform/database/session.js';
import { type DataDirectory, KEY_FILES } from '../data-directory.js';
import type { Cluster } from '../postgres/cluster.js';
import { startOnCopy } from '../postgres/embedded-postgres.js';
import { errorMessage, StartupError } from '../startup-error.js';
import { BackupDraft, isOfLock } from './backup-draft.js';
import { copyRunningCluster, findRunningCluster } from './copy-cluster.js';
import { copyFile, explainFileError, listFiles, totalBytes } from './files.js';
import { type Manifest, writeManifest } from './manifest.js';

export interface BackupOptions {
  /** Its PostgreSQL runs. */
  readonly directory: DataDirectory;
  /** Connects to that as the owner of the tables. */
  readonly url: string;
  /** Must be empty, or not there. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly report: ReportProgress;
  /** Tells whether a key of the data directory opens every secret in a database. */
  readonly hasMasterKey: (url: string) => Promise<boolean>;
}

export type ReportProgress = (step: string, done: number, all: number) => void;

/**
 * Copies a data directory while its PostgreSQL runs. PostgreSQL is started on the copy, which makes one state of it, every
 * row is read, and it is stopped in good order: the checksums are those of files that were seen to work. The service itself
 * is not started, for it would look up names and send.
 * @throws StartupError saying in a sentence what was in the way; nothing is left of the backup then
 */
export async function takeBackup(options: BackupOptions): Promise<Manifest> {
  const { directory, folder, signal } = options;
  try {
    signal.throwIfAborted();
    const running = findRunningCluster(directory);
    const draft = await BackupDraft.open(folder, [realpathSync(directory.path), running.path]);
    try {
      const manifest = await fill(draft, running, options);
      await draft.finish();
      return manifest;
    } catch (error) {
      draft.remove();
      throw error;
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : explainFileError(error, `cannot write the backup to ${folder}`);
  }
}

async function fill(draft: BackupDraft, running: Cluster, options: BackupOptions): Promise<Manifest> {
  const { directory, url, signal, report } = options;
  const startedAt = new Date();
  const copy = { ...running, path: draft.cluster };
  const onBytes = (copied: number, all: number) => report('copying', copied, all);
  const takenAt = await copyRunningCluster(running, copy, { url, signal, onBytes });
  for (const key of KEY_FILES)
    await copyFile(join(directory.path, key), join(draft.path, key), { signal, onPiece: () => undefined });
  const { holdsMasterKey, ...content } = await readCopy(copy, options);

  const { folders, files } = await listFiles(draft.path);
  const backedUp = files.filter(({ path }) => !isOfLock(path));
  const all = totalBytes(backedUp);
  let read = 0;
  const onPiece = (piece: Buffer) => report('taking checksums', (read += piece.length), all);
  const times = { started_at: startedAt.toISOString(), taken_at: takenAt.toISOString() };
  const facts = { ...times, ...content, holds_master_key: holdsMasterKey };
  return writeManifest(draft.path, facts, { folders, files: backedUp }, { signal, onPiece });
}

/** What a server leaves in its folder. */
const LEFTOVERS = ['backup_label.old', 'postmaster.opts'];

interface CopyContent extends DatabaseContent {
  readonly holdsMasterKey: boolean;
}

async function readCopy(copy: Cluster, options: BackupOptions): Promise<CopyContent> {
  const { directory, signal, report, hasMasterKey } = options;
  const passwords = { password: directory.databasePassword(), ownerPassword: directory.ownerPassword() };
  const { migrationUrl, ended, stop } = await startOnCopy(copy, passwords, signal);
  const failed = ended.then((reason) =>
    Promise.reject(new StartupError(`PostgreSQL could not use the copy: ${reason}`)),
  );
  const onTable = (tables: number, all: number) => report('reading the copy', tables, all);
  const read = async () => ({
    ...(await withSession(migrationUrl, (session) => readWholeDatabase(session, onTable))),
    holdsMasterKey: await hasMasterKey(migrationUrl),
  });
  signal.addEventListener('abort', () => void stop());
  try {
    const content = await Promise.race([failed, read().catch((error: unknown) => explainSoon(failed, error))]);
    if (!(await stop())) throw new StartupError('PostgreSQL could not write the copy to its disk');
    for (const name of LEFTOVERS) rmSync(join(copy.path, name), { force: true });
    return content;
  } finally {
    await stop();
  }
}

/** A connection notices the end of its server before it is known why that ended. */
async function explainSoon(failed: Promise<never>, cause: unknown): Promise<never> {
  await Promise.race([failed, pause(1_000)]);
  throw new StartupError(`PostgreSQL could not use the copy: ${errorMessage(cause)}`, { cause });
}
