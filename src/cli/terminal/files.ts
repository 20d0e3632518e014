import { createReadStream } from 'node:fs';
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

/** More than any file that a command takes: what never ends is not read until memory does. */
const MAX_INPUT_BYTES = 256 * 1_024 * 1_024;

/** The whole file; `-` is standard input, read to its end however slowly it comes. */
export async function readInput(file: string): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of file === '-' ? process.stdin : createReadStream(file)) {
      bytes += (chunk as Buffer).length;
      if (bytes > MAX_INPUT_BYTES) break;
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    throw toFileError(file, error);
  }
  if (bytes > MAX_INPUT_BYTES)
    throw new CommandError(EXIT.usage, `${nameInput(file)} is larger than ${MAX_INPUT_BYTES >> 20} MiB`);
  return Buffer.concat(chunks);
}

/** Why a file cannot be used, in one sentence. */
export function toFileError(file: string, error: unknown): CommandError {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return new CommandError(EXIT.usage, `${nameInput(file)} ${ERROR_TEXTS[code] ?? `cannot be used: ${message}`}`);
}

function nameInput(file: string): string {
  return file === '-' ? 'standard input' : file;
}
