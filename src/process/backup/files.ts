import { mkdirSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { readFreeBytes } from '../../platform/free-space.js';
import { StartupError } from '../startup-error.js';

export type ReportProgress = (step: string, done: number, all: number) => void;

export async function listFiles(root: string): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => !entry.isDirectory());
  return files.map(({ parentPath, name }) => relative(root, join(parentPath, name))).sort();
}

export function makeClosedFolder(path: string): void {
  mkdirSync(path, { mode: 0o700 });
}

const MB = 1_000_000;
/** A backup stops when less space than this is free, because the service's database may be on the same disk. */
const RESERVE_BYTES = 40 * MB;

/** @throws StartupError when the disk is nearly full */
export async function assertReserve(folder: string): Promise<void> {
  const free = await readFreeBytes(folder);
  if (free >= RESERVE_BYTES) return;
  const left = `its disk has only ${Math.floor(free / MB)} MB left`;
  throw new StartupError(`${left}, which are for the service's own work: make space, then start again`);
}

/** Waits until a file is on the disk. For a folder, this covers only the names of its files. */
export async function syncToDisk(path: string): Promise<void> {
  const file = await open(path);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'its quota is used up',
  EROFS: 'the disk is read-only',
  EACCES: 'this user may not use it',
  EPERM: 'this user may not use it',
  ENOENT: 'it does not exist',
  ENOTDIR: 'it is no folder',
};

/** Explains in one sentence why a file cannot be used. Returns other errors unchanged. */
export function explainFileError(error: unknown, task: string): unknown {
  const cause = error instanceof StartupError ? error.cause : error;
  const { code = '', syscall, path, message } = Object(cause) as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  const reason = REASONS[code] ?? message;
  return new StartupError(`${task}: ${path === undefined ? reason : `${path}: ${reason}`}`, { cause: error });
}
