import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT_STORE, runsAsRoot } from '../../../src/process/postgres/database-user.js';

const made: string[] = [];

/** Through which PostgreSQL's user can walk, as through most folders. */
export function openFolder(parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, 'namewatch-test-'));
  chmodSync(folder, 0o711);
  made.push(folder);
  return folder;
}

/** An open folder on the disk of the root store, whither a cluster can be moved; temporary files may lie in memory. */
export function folderBesideRootStore(): string {
  return openFolder(runsAsRoot() ? dirname(ROOT_STORE) : tmpdir());
}

/** Closed to everybody but its owner, as /root is. */
export function closedFolder(): string {
  const folder = openFolder();
  chmodSync(folder, 0o700);
  return folder;
}

export function removeFolders(): void {
  for (const folder of made.splice(0)) {
    const link = join(folder, 'pg');
    const cluster = existsSync(link) ? realpathSync(link) : folder;
    for (const path of [cluster, `${cluster}.home`, folder]) rmSync(path, { recursive: true, force: true });
  }
}
