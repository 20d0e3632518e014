import { readFileSync } from 'node:fs';
import { CommandError, EXIT } from '../exit-codes.js';

const ERROR_TEXTS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EISDIR: 'is a folder, not a file',
  ENOTDIR: 'does not exist: a part of its path is a file',
  EACCES: 'may not be opened by this user',
  EPERM: 'may not be opened by this user',
  EEXIST: 'exists already: nothing is overwritten',
  ENOSPC: 'could not be written: the disk is full',
};

/** The whole file; `-` is standard input. */
export function readInput(file: string): Buffer<ArrayBuffer> {
  try {
    return readFileSync(file === '-' ? 0 : file);
  } catch (error) {
    throw toFileError(file, error);
  }
}

/** Why a file cannot be used, in one sentence. */
export function toFileError(file: string, error: unknown): CommandError {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const name = file === '-' ? 'standard input' : file;
  return new CommandError(EXIT.usage, `${name} ${ERROR_TEXTS[code] ?? `cannot be used: ${message}`}`);
}
