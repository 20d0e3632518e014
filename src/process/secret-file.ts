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

/** The text of the file, null when there is none or it cannot be read. */
export function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim() || null;
  } catch {
    return null;
  }
}

/** The text of the file, which only its owner may read from now on; null when there is none. */
export function readSecret(path: string): string | null {
  return wrapStartupError(`read ${path}`, () => {
    try {
      const text = readFileSync(path, 'utf8').trim();
      chmodSync(path, 0o600); // a copy may have been opened to others
      return text;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  });
}

/** The text of the file, made once: of two who make it at once, both get the text of the first. */
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

/** Replaces the file as a whole: a reader sees the old text or the new one. */
export function replaceFile(path: string, text: string): void {
  wrapStartupError(`write ${path}`, () => renameSync(writeDraft(path, text, 0o644), path));
}

/** Waits until the text is on the disk: data that it protects may be written a moment later. */
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
