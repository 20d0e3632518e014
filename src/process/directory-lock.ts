import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { StartupError, errorMessage } from './startup-error.js';
import type { DataDirectory } from './data-directory.js';
import { readText, replaceFile } from './secret-file.js';

/** The kind of process that has the lock. A service keeps the lock until it ends, a command until its work is done. */
export type Purpose = 'service' | 'command';

export interface Holder {
  readonly pid: number;
  readonly purpose: Purpose;
  /** The setting ROLE of a service. A command has no role. */
  readonly role?: string;
}

const SQLITE_BUSY = 5;

/**
 * Locks a data directory through SQLite, because Node cannot lock files. The kernel releases the lock when the process
 * ends.
 */
export class DirectoryLock {
  private constructor(
    private readonly file: DatabaseSync,
    private readonly note: string,
  ) {}

  static tryAcquire({ path, lockFile }: DataDirectory, purpose: Purpose, role = ''): DirectoryLock | null {
    const file = tryLock(lockFile);
    if (!file) return null;
    const lock = new DirectoryLock(file, join(path, 'pid'));
    replaceFile(lock.note, `${process.pid} ${purpose} ${role}`.trim());
    return lock;
  }

  release(): void {
    rmSync(this.note, { force: true });
    this.file.close();
  }
}

function tryLock(path: string): DatabaseSync | null {
  let file: DatabaseSync | undefined;
  try {
    // The file gets mode 0600, because other users who can read the file could lock it.
    closeSync(openSync(path, 'a', 0o600));
    file = new DatabaseSync(path);
    file.exec('pragma journal_mode = memory; begin exclusive');
    return file;
  } catch (error) {
    file?.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return null;
    throw new StartupError(`cannot lock ${path}: ${errorMessage(error)}`, { cause: error });
  }
}

/**
 * Returns the process that has the lock, or null if that process has not written the file `pid` yet. Call this only
 * while the lock is taken.
 */
export function readHolder({ path }: DataDirectory): Holder | null {
  const note = readText(join(path, 'pid'));
  if (note === null) return null;
  const [pid, purpose, role] = note.split(' ');
  return { pid: Number(pid), purpose: purpose === 'service' ? 'service' : 'command', ...(role ? { role } : {}) };
}

const LOCK_TIMEOUT_MS = 30_000;

/** Waits up to 30 seconds while a command has the lock. @throws StartupError at once if another service has the lock */
export async function acquireServiceLock(
  directory: DataDirectory,
  stop: AbortSignal,
  role?: string,
): Promise<DirectoryLock> {
  const deadline = performance.now() + LOCK_TIMEOUT_MS;
  for (;;) {
    const lock = DirectoryLock.tryAcquire(directory, 'service', role);
    if (lock) return lock;
    const holder = readHolder(directory);
    if (holder?.purpose === 'service') throw new StartupError(alreadyRunningMessage(holder, directory));
    if (performance.now() > deadline) throw new StartupError(`${directory.path} is in use (pid ${holder?.pid ?? '?'})`);
    await pause(50);
    stop.throwIfAborted();
  }
}

function alreadyRunningMessage({ pid }: Holder, directory: DataDirectory): string {
  const address = directory.address();
  return `already running (pid ${pid})${address === null ? '' : ` at ${address}`}`;
}

/** Returns the service that runs in this directory, or null. Ignores files that a killed service has left. */
export function findRunningService(directory: DataDirectory): Holder | null {
  if (!directory.wasStarted) return null;
  const lock = DirectoryLock.tryAcquire(directory, 'command');
  lock?.release();
  const holder = lock ? null : readHolder(directory);
  return holder?.purpose === 'service' ? holder : null;
}
