import { chown, mkdir, open, readdir, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseUser } from '../postgres/database-user.js';
import { StartupError } from '../startup-error.js';

/** What is in a folder, by paths from there. */
export interface FileTree {
  readonly folders: readonly string[];
  readonly files: readonly FileSize[];
}

export interface FileSize {
  readonly path: string;
  readonly bytes: number;
}

export interface ReadOptions {
  readonly signal: AbortSignal;
  /** Gets each piece that was read. */
  readonly onPiece: (piece: Buffer) => unknown;
}

/**
 * Lists what is below a folder and may come and go meanwhile, each folder before what is in it.
 * @throws StartupError for what is neither a file nor a folder: a link could lead anywhere
 */
export async function listFiles(root: string): Promise<FileTree> {
  const [folders, files]: [string[], FileSize[]] = [[], []];
  const add = async (folder: string) => {
    const entries = await unlessGone(() => readdir(join(root, folder), { withFileTypes: true }));
    for (const entry of entries?.sort((a, b) => (a.name < b.name ? -1 : 1)) ?? []) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        folders.push(path);
        await add(path);
      } else if (entry.isFile()) {
        const found = await unlessGone(() => stat(join(root, path)));
        if (found) files.push({ path, bytes: found.size });
      } else throw new StartupError(`${join(root, path)} is neither a file nor a folder`);
    }
  };
  await add('');
  return { folders, files };
}

async function unlessGone<Result>(step: () => Promise<Result>): Promise<Result | null> {
  try {
    return await step();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

export function totalBytes(files: readonly FileSize[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Makes a folder of this user, or of that one, which is closed to all others. */
export async function makeFolder(path: string, owner: DatabaseUser = {}): Promise<void> {
  await mkdir(path, { mode: 0o700 });
  await give(path, owner);
}

/** Copies a file to where there is none, for its owner alone. @returns false when there is no such file any more */
export async function copyFile(from: string, to: string, options: ReadOptions, owner?: DatabaseUser): Promise<boolean> {
  const source = await unlessGone(() => open(from));
  if (!source) return false;
  try {
    const copy = await open(to, 'wx', 0o600);
    try {
      if (owner) await give(to, owner);
      for await (const piece of readPieces(source, options)) await copy.appendFile(piece);
    } finally {
      await copy.close();
    }
    return true;
  } finally {
    await source.close();
  }
}

export async function readFile(path: string, options: ReadOptions): Promise<void> {
  const file = await open(path);
  try {
    for await (const _ of readPieces(file, options));
  } finally {
    await file.close();
  }
}

/** One for all: files are read one after the other. */
const PIECE = Buffer.allocUnsafeSlow(1_048_576);

async function* readPieces(file: FileHandle, { signal, onPiece }: ReadOptions): AsyncGenerator<Buffer> {
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(PIECE);
    if (bytesRead === 0) return;
    const piece = PIECE.subarray(0, bytesRead);
    await onPiece(piece);
    yield piece;
  }
}

async function give(path: string, { uid, gid }: DatabaseUser): Promise<void> {
  if (uid !== undefined && gid !== undefined) await chown(path, uid, gid);
}

/** Waits until a file, or the names in a folder, are on the disk. */
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

/** Says in one sentence why files cannot be used; other errors stay as they are. */
export function explainFileError(error: unknown, task: string): unknown {
  const cause = error instanceof StartupError ? error.cause : error;
  const { code = '', syscall, path, message } = Object(cause) as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  const reason = REASONS[code] ?? message;
  return new StartupError(`${task}: ${path === undefined ? reason : `${path}: ${reason}`}`, { cause: error });
}
