import { chmodSync, lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { attempt, CannotStart } from './cannot-start.js';

/**
 * Where root keeps what another user must reach when the checkout lies behind a closed folder (/root, `mktemp -d`).
 * Only root can make anything here. A place under /tmp would let anybody put their own binaries there beforehand.
 */
export const ROOT_STORE = '/var/lib/namewatch';

export function openRootStore(): string {
  attempt(`make ${ROOT_STORE}`, () => {
    if (mkdirSync(ROOT_STORE, { recursive: true }) !== undefined) chmodSync(ROOT_STORE, 0o755);
  });
  for (let folder = ROOT_STORE; folder !== '/'; folder = dirname(folder)) mustBeRootsAlone(folder);
  return ROOT_STORE;
}

function mustBeRootsAlone(path: string): void {
  const { uid, mode } = path === ROOT_STORE ? lstatSync(path) : statSync(path);
  if (uid !== 0 || (mode & 0o022) !== 0) throw new CannotStart(`${path} can be written by others than root`);
}

/** Whether a user without any rights of their own can walk to this path. */
export function openToEverybody(path: string): boolean {
  for (let folder = realpathSync(path); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}
