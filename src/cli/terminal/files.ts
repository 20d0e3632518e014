import { readFileSync } from 'node:fs';
import { CommandFailed, EXIT } from '../exit-codes.js';

const SENTENCES: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EISDIR: 'is a folder, not a file',
  ENOTDIR: 'does not exist: a part of its path is a file',
  EACCES: 'may not be opened by this user',
  EPERM: 'may not be opened by this user',
  EEXIST: 'exists already: nothing is overwritten',
  ENOSPC: 'could not be written: the disk is full',
};

/** The whole file; `-` is standard input. */
export function contentOf(file: string): Buffer<ArrayBuffer> {
  try {
    return readFileSync(file === '-' ? 0 : file);
  } catch (error) {
    throw fileProblem(file, error);
  }
}

/** Why a file cannot be used, in one sentence. */
export function fileProblem(file: string, error: unknown): CommandFailed {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const name = file === '-' ? 'standard input' : file;
  return new CommandFailed(EXIT.usage, `${name} ${SENTENCES[code] ?? `cannot be used: ${message}`}`);
}
