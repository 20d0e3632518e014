import { realpathSync, statSync } from 'node:fs';
import { readdir, statfs, writeFile, chown } from 'node:fs/promises';
import { join } from 'node:path';
import { type BackupEnd, OnlineBackup } from '../../platform/database/online-backup.js';
import type { DataDirectory } from '../data-directory.js';
import type { Cluster } from '../postgres/cluster.js';
import { runsAsRoot } from '../postgres/database-user.js';
import { RefusalError, StartupError } from '../startup-error.js';
import { copyFile, listFiles, makeFolder, totalBytes } from './files.js';

export interface CopyOptions {
  /** Connects to the running PostgreSQL as the owner of the tables. */
  readonly url: string;
  readonly signal: AbortSignal;
  readonly onBytes: (copied: number, all: number) => void;
}

/** The cluster of a data directory whose PostgreSQL runs, where that found it: nothing is moved under it. */
export function findRunningCluster({ cluster }: DataDirectory): Cluster {
  const path = realpathSync(cluster);
  const { uid, gid } = statSync(path);
  return { path, user: runsAsRoot() ? { uid, gid } : {} };
}

/**
 * Copies the files of a running PostgreSQL, and the part of its log that makes one state of them.
 * @param to a cluster that is not there yet
 * @returns until when all that was committed is in it
 */
export async function copyRunningCluster(from: Cluster, to: Cluster, options: CopyOptions): Promise<Date> {
  const lost = new AbortController();
  const reason = new StartupError('PostgreSQL ended during the backup, as it does when its service stops: try again');
  const signal = AbortSignal.any([options.signal, lost.signal]);
  const backup = await OnlineBackup.begin(options.url, signal, () => lost.abort(reason));
  if (backup === 'under way') throw new RefusalError(`another backup of ${from.path} is under way`);
  if (backup === 'not allowed')
    throw new RefusalError('the service was started by a version that has no backups: restart it with this one first');
  try {
    await copyFiles(from, to, { ...options, signal });
    const end = await backup.end();
    await copyLog(from, to, end, signal);
    return end.takenAt;
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    await backup.close();
  }
}

/** What only the running server uses (PostgreSQL's documentation, "Making a Base Backup Using the Low Level API"). */
const OF_THE_SERVER = [
  /^(postmaster\.(pid|opts)|(backup_label|tablespace_map)(\.old)?|backup_manifest|current_logfiles)$/,
  /^pg_(dynshmem|notify|replslot|serial|snapshots|stat_tmp|subtrans)\//,
  /(^|\/)(pgsql_tmp|pg_internal\.init|t\d+_\d)/,
];
/** What is copied of it follows at the end. */
const LOG = 'pg_wal';
/** Comes last: without it the copy is no cluster to anybody. */
const CONTROL_FILE = 'global/pg_control';

async function copyFiles(from: Cluster, to: Cluster, { signal, onBytes }: CopyOptions): Promise<void> {
  const { folders, files } = await listFiles(from.path);
  const isCopied = (path: string) =>
    !OF_THE_SERVER.some((pattern) => pattern.test(path)) && !path.startsWith(`${LOG}/`) && path !== CONTROL_FILE;
  const copied = files.filter(({ path }) => isCopied(path));
  const all = totalBytes(copied);
  await makeFolder(to.path, to.user);
  await assertSpace(from, to, all);
  for (const path of folders.filter(isCopied)) await makeFolder(join(to.path, path), to.user);
  let bytes = 0;
  const onPiece = async (piece: Buffer) => {
    await assertReserve(from);
    onBytes(Math.min((bytes += piece.length), all), all); // files may have grown since
  };
  for (const path of [...copied.map((file) => file.path), CONTROL_FILE])
    await copyFile(join(from.path, path), join(to.path, path), { signal, onPiece }, to.user);
}

async function copyLog(from: Cluster, to: Cluster, { label, log }: BackupEnd, signal: AbortSignal): Promise<void> {
  const [first, last] = log;
  const segments = (await readdir(join(from.path, LOG))).filter((name) => /^[0-9A-F]{24}$/.test(name));
  for (const name of segments.filter((segment) => segment >= first && segment <= last)) {
    const [source, copy] = [from, to].map(({ path }) => join(path, LOG, name)) as [string, string];
    await copyFile(source, copy, { signal, onPiece: () => assertReserve(from) }, to.user);
  }
  const labelFile = join(to.path, 'backup_label');
  await writeFile(labelFile, label, { mode: 0o600 });
  if (to.user.uid !== undefined && to.user.gid !== undefined) await chown(labelFile, to.user.uid, to.user.gid);
}

const MB = 1_000_000;
/** What the running service is left of its disk, for its log, which grows until the backup has ended. */
const RESERVE_BYTES = 40 * MB;

async function assertSpace(from: Cluster, to: Cluster, bytes: number): Promise<void> {
  const isSameDisk = statSync(from.path).dev === statSync(to.path).dev;
  const needed = bytes + RESERVE_BYTES * (isSameDisk ? 2 : 1); // its own log is on it too
  const free = await freeBytes(to);
  if (free < needed)
    throw new RefusalError(`the backup needs ${toMb(needed)} MB, and its disk has ${toMb(free)} left: make space`);
}

async function assertReserve(from: Cluster): Promise<void> {
  const free = await freeBytes(from);
  if (free >= RESERVE_BYTES) return;
  const left = `the disk of the service has only ${toMb(free)} MB left`;
  throw new StartupError(`${left}, which are for its own work: make space, then start the backup again`);
}

async function freeBytes({ path }: Cluster): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}

function toMb(bytes: number): number {
  return Math.ceil(bytes / MB);
}
