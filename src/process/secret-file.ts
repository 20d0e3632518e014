import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { wrapStartupError } from './startup-error.js';

/** Returns the text of the file, or null if it is missing, empty or unreadable. */
export function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim() || null;
  } catch {
    return null;
  }
}

/** Returns the text of the file, or null if it is missing. Makes the file unreadable for other users. */
export function readSecret(path: string): string | null {
  return wrapStartupError(`read ${path}`, () => {
    try {
      const text = readFileSync(path, 'utf8').trim();
      chmodSync(path, 0o600); // other users may be able to read a copied file
      return text;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  });
}

/** Returns the text of the file. If the file is missing, makes the file. Concurrent processes get the same text. */
export function getOrCreateSecret(path: string, make: () => string): string {
  const existing = readSecret(path);
  if (existing !== null) return existing;
  return wrapStartupError(`write ${path}`, () => {
    const draft = writeDraft(path, make(), 0o600);
    try {
      linkSync(draft, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      rmSync(draft);
    }
    return readFileSync(path, 'utf8').trim();
  });
}

/** Replaces the file atomically: a reader sees the old text or the new text. */
export function replaceFile(path: string, text: string): void {
  wrapStartupError(`write ${path}`, () => renameSync(writeDraft(path, text, 0o644), path));
}

/** Waits until the file is on the disk, because a crash must not lose a key that has encrypted data. */
function writeDraft(path: string, text: string, mode: number): string {
  const draft = `${path}.${randomUUID()}`;
  const file = openSync(draft, 'wx', mode);
  try {
    writeSync(file, `${text}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return draft;
}
