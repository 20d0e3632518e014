import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DataDirectory, KEY_FILES } from '../data-directory.js';
import { DirectoryLock, readHolder } from '../directory-lock.js';
import { type Cluster, createCluster, isTaken } from '../postgres/cluster.js';
import { getOrCreateSecret, readSecret } from '../secret-file.js';
import { RefusalError } from '../startup-error.js';
import { copyFile, explainFileError, makeFolder, syncToDisk, totalBytes } from './files.js';
import { findDifferences, type Manifest, readManifest } from './manifest.js';
import type { ReportProgress } from './take-backup.js';

export interface RestoreOptions {
  /** Holds a backup. */
  readonly folder: string;
  /** Has no database and no service; is made when it is not there. */
  readonly dataDir: string;
  readonly signal: AbortSignal;
  readonly report: ReportProgress;
}

/**
 * Copies a backup into a data directory. The database gets its name last: whenever it is killed before, it can be repeated.
 * @throws StartupError saying in a sentence what was in the way; no database is there then
 */
export async function restoreBackup({ folder, dataDir, ...options }: RestoreOptions): Promise<Manifest> {
  const { signal } = options;
  try {
    const manifest = readManifest(folder);
    assertSame(folder, await findDifferences(folder, manifest));
    const directory = DataDirectory.open(dataDir);
    const lock = DirectoryLock.tryAcquire(directory, 'command');
    if (!lock) throw new RefusalError(inUse(directory));
    try {
      assertNoDatabase(directory);
      restoreKeys(folder, directory, manifest);
      await createCluster(directory.cluster, (draft) => fill(draft, folder, manifest, options));
      await syncToDisk(dirname(directory.cluster));
    } finally {
      lock.release();
    }
    return manifest;
  } catch (error) {
    throw signal.aborted ? signal.reason : explainFileError(error, `cannot restore ${folder} to ${dataDir}`);
  }
}

const MAX_LISTED = 20;

function assertSame(folder: string, differences: readonly string[]): void {
  if (differences.length === 0) return;
  const more = differences.length > MAX_LISTED ? [`and ${differences.length - MAX_LISTED} more`] : [];
  const lines = [...differences.slice(0, MAX_LISTED), ...more].map((line) => `  ${line}`);
  throw new RefusalError([`${folder} is not as it was written, and is not restored:`, ...lines].join('\n'));
}

function inUse(directory: DataDirectory): string {
  const { pid = '?', purpose = 'command' } = readHolder(directory) ?? {};
  return `a ${purpose} (pid ${pid}) uses ${directory.path}: stop it first, or set another DATA_DIR`;
}

function assertNoDatabase({ path, cluster }: DataDirectory): void {
  if (isTaken(cluster))
    throw new RefusalError(`${path} has a database, which stays as it is: rename that folder, or set another DATA_DIR`);
}

/** Keys come first: a database without them would get new ones at its first start, and its secrets be lost. */
function restoreKeys(folder: string, directory: DataDirectory, { files }: Manifest): void {
  const keys = KEY_FILES.flatMap((name) => files.filter(({ path }) => path === name));
  for (const { path: name, sha256 } of keys) {
    const text = readFileSync(join(folder, name), 'utf8');
    if (sha256Of(text) !== sha256) assertSame(folder, [`changed: ${name}`]);
    const path = join(directory.path, name);
    if (existsSync(path) && readSecret(path) !== text.trim())
      throw new RefusalError(`${path} is another than that of the backup: move it away, or set another DATA_DIR`);
  }
  for (const { path: name } of keys) {
    const text = readFileSync(join(folder, name), 'utf8').trim();
    getOrCreateSecret(join(directory.path, name), () => text);
  }
}

function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

const CLUSTER = 'pg/';

async function fill(
  draft: Cluster,
  folder: string,
  manifest: Manifest,
  { signal, report }: Pick<RestoreOptions, 'signal' | 'report'>,
): Promise<void> {
  try {
    const inDraft = (path: string) => join(draft.path, path.slice(CLUSTER.length));
    const folders = manifest.folders.filter((path) => path.startsWith(CLUSTER));
    const files = manifest.files.filter(({ path }) => path.startsWith(CLUSTER));
    for (const path of folders) await makeFolder(inDraft(path), draft.user);
    const changed: string[] = [];
    const all = totalBytes(files);
    let copied = 0;
    for (const { path, sha256 } of files) {
      const hash = createHash('sha256');
      const onPiece = (piece: Buffer) => {
        hash.update(piece);
        report('restoring', (copied += piece.length), all);
      };
      await copyFile(join(folder, path), inDraft(path), { signal, onPiece }, draft.user);
      await syncToDisk(inDraft(path));
      if (hash.digest('hex') !== sha256) changed.push(`changed: ${path}`);
    }
    assertSame(folder, changed);
    for (const path of [CLUSTER, ...folders]) await syncToDisk(inDraft(path));
  } catch (error) {
    rmSync(draft.path, { recursive: true, force: true });
    throw error;
  }
}
