import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

/** Through which PostgreSQL's user can walk, as through most folders. */
export function openFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'namewatch-test-'));
  chmodSync(folder, 0o711);
  made.push(folder);
  return folder;
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
