import { chmodSync, lstatSync, readdirSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { DataDirectory } from '../data-directory.js';
import { DirectoryLock } from '../directory-lock.js';
import { RefusalError } from '../startup-error.js';
import { makeClosedFolder, syncToDisk } from './files.js';

export const UNFINISHED = '.unfinished';
const OF_LOCK = ['lock', 'pid'];

/**
 * Writes a backup under a temporary name and renames the folder at the end, so that a killed backup never looks
 * complete.
 */
export class BackupDraft {
  private constructor(
    readonly path: string,
    private readonly target: string,
    private readonly lock: DirectoryLock,
  ) {}

  /** @throws RefusalError if the folder is in use, or is inside one of `sources`, which are the service's folders */
  static open(folder: string, sources: readonly string[]): BackupDraft {
    const parent = realpathSync(dirname(resolve(folder)));
    const target = join(parent, basename(resolve(folder)));
    for (const source of sources)
      if (`${target}/`.startsWith(`${source}/`))
        throw new RefusalError(`${target} lies in ${source}, the folder that you back up: name a folder elsewhere`);
    assertFree(target, parent);
    const path = `${target}${UNFINISHED}`;
    const isNew = makeOwnFolder(path);
    try {
      const lock = DirectoryLock.tryAcquire(DataDirectory.at(path), 'command');
      if (!lock) throw new RefusalError(`another backup is being written to ${target}`);
      for (const name of readdirSync(path).filter((name) => !OF_LOCK.includes(name)))
        rmSync(join(path, name), { recursive: true });
      return new BackupDraft(path, target, lock);
    } catch (error) {
      // Removes the new folder if a later step fails, for example because there is no space for the lock file.
      if (isNew) rmSync(path, { recursive: true, force: true });
      throw error;
    }
  }

  async finish(): Promise<void> {
    await syncToDisk(this.path);
    for (const name of OF_LOCK) rmSync(join(this.path, name), { force: true });
    renameSync(this.path, this.target); // this also replaces an empty folder
    this.lock.release();
    for (const folder of [this.target, dirname(this.target)]) await syncToDisk(folder);
  }

  remove(): void {
    this.lock.release();
    rmSync(this.path, { recursive: true, force: true });
  }
}

function assertFree(target: string, parent: string): void {
  const found = lstatSync(target, { throwIfNoEntry: false });
  if (!found) return;
  if (!found.isDirectory()) throw new RefusalError(`${target} is a file: name a folder that is empty or not there`);
  if (readdirSync(target).length > 0)
    throw new RefusalError(`${target} is not empty: name a folder that is empty or not there`);
  if (found.dev !== statSync(parent).dev)
    throw new RefusalError(`${target} is a disk of its own: name a folder on it that is not there`);
}

/** Makes a private folder. Refuses a folder of another user, because its owner could read the secrets in the backup. */
function makeOwnFolder(path: string): boolean {
  const left = lstatSync(path, { throwIfNoEntry: false });
  if (left && (!left.isDirectory() || left.uid !== process.getuid?.()))
    throw new RefusalError(`${path} is in the way, and this user did not make it: remove it, or name another folder`);
  if (!left) makeClosedFolder(path);
  chmodSync(path, 0o700);
  return !left;
}
