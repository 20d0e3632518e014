import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DataDirectory } from '../data-directory.js';
import { DirectoryLock } from '../directory-lock.js';
import { RefusalError } from '../startup-error.js';
import { UNFINISHED } from './backup-draft.js';
import { MANIFEST } from './manifest.js';

/** Matches the name of a backup, such as `2026-11-28T03-00-00.000Z`. Sorting these names sorts them by time. */
const DATED = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/;

/** Returns the path for a new backup beside the earlier backups. The folder's name is the time. */
export function nameDatedBackup(parent: string, now: Date): string {
  if (existsSync(join(parent, MANIFEST)))
    throw new RefusalError(`${parent} is a backup: with --keep name the folder that is to hold backups`);
  mkdirSync(parent, { mode: 0o700, recursive: true });
  return join(parent, now.toISOString().replaceAll(':', '-'));
}

/**
 * Keeps the `keep` newest backups. Also removes unfinished folders of killed backups.
 * @returns the names of the removed backups
 */
export function removeOlderBackups(parent: string, keep: number): string[] {
  const backups = readdirSync(parent).filter((name) => DATED.test(name) && existsSync(join(parent, name, MANIFEST)));
  const older = backups.sort().slice(0, -keep);
  // Renames first, so that a half-removed backup does not look complete.
  for (const name of older) renameSync(join(parent, name), join(parent, `${name}${UNFINISHED}`));
  for (const name of readdirSync(parent).filter(isLeftover)) removeUnlessLocked(join(parent, name));
  return older;
}

function isLeftover(name: string): boolean {
  return name.endsWith(UNFINISHED) && DATED.test(name.slice(0, -UNFINISHED.length));
}

function removeUnlessLocked(path: string): void {
  const lock = DirectoryLock.tryAcquire(DataDirectory.at(path), 'command');
  if (!lock) return; // another process is writing a backup there
  lock.release();
  rmSync(path, { recursive: true, force: true });
}
