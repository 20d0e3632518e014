import { execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { wrapStartupError, StartupError } from '../startup-error.js';

/**
 * The operating system's user that runs PostgreSQL. The object is empty if PostgreSQL runs as the user of this process.
 */
export interface DatabaseUser {
  readonly uid?: number;
  readonly gid?: number;
}

const UNPRIVILEGED_ID = 65_534;

export function runsAsRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * Returns the user that runs PostgreSQL. PostgreSQL refuses to run as root, so root uses `postgres` or else `nobody`.
 */
export function databaseUser(): DatabaseUser {
  if (!runsAsRoot()) return {};
  return findAccount('postgres') ?? findAccount('nobody') ?? { uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID };
}

function findAccount(name: string): DatabaseUser | null {
  const id = (what: string) => Number(execFileSync('id', [what, name], { encoding: 'utf8', stdio: 'pipe' }));
  try {
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return null; // the command `id` fails if this user does not exist
  }
}

/** The folder for PostgreSQL's files if only root can open the service's folder. Only root can write to ROOT_STORE. */
export const ROOT_STORE = '/var/lib/namewatch';

export function openRootStore(): string {
  wrapStartupError(`make ${ROOT_STORE}`, () => {
    if (mkdirSync(ROOT_STORE, { recursive: true }) !== undefined) chmodSync(ROOT_STORE, 0o755);
  });
  for (let folder = ROOT_STORE; folder !== '/'; folder = dirname(folder)) assertRootOnly(folder);
  return ROOT_STORE;
}

function assertRootOnly(path: string): void {
  const { uid, mode } = path === ROOT_STORE ? lstatSync(path) : statSync(path);
  if (uid !== 0 || (mode & 0o022) !== 0) throw new StartupError(`${path} can be written by others than root`);
}

/** Without a user, checks whether everybody can reach the path. Ignores access control lists. */
export function isReachableBy(path: string, { uid, gid }: DatabaseUser = {}): boolean {
  for (let folder = realpathSync(path); ; folder = dirname(folder)) {
    const entry = statSync(folder);
    const pass = entry.uid === uid ? 0o100 : entry.gid === gid ? 0o010 : 0o001;
    if ((entry.mode & pass) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}
