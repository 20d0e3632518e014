import {
  chownSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readlinkSync,
  realpathSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { readText } from '../secret-file.js';
import { wrapStartupError, StartupError } from '../startup-error.js';
import {
  type DatabaseUser,
  databaseUser,
  runsAsRoot,
  openRootStore,
  isReachableBy,
  ROOT_STORE,
} from './database-user.js';

/** A PostgreSQL data directory, and the operating system's user who owns its files. */
export interface Cluster {
  readonly path: string;
  readonly user: DatabaseUser;
}

/**
 * Finds the PostgreSQL data directory (cluster) at `link` (DATA_DIR/pg).
 * @throws StartupError if the cluster is unusable
 */
export function findCluster(link: string): Cluster | null {
  const stats = lstatSync(link, { throwIfNoEntry: false });
  if (!stats) return null;
  if (stats.isSymbolicLink()) return followLink(link);
  if (readdirSync(assertOwnedByThisUser(link)).length === 0) return null;
  const cluster = readCluster(link);
  if (runsAsRoot() && !isReachableBy(dirname(link), cluster.user))
    throw new StartupError(
      `the database user (uid ${cluster.user.uid}) cannot pass through the folders to ${link}: let it, with "chmod o+x"`,
    );
  return cluster;
}

/** True unless `link` is missing or an empty folder. A link to a deleted cluster also counts as taken. */
export function isTaken(link: string): boolean {
  const stats = lstatSync(link, { throwIfNoEntry: false });
  return stats !== undefined && (!stats.isDirectory() || readdirSync(link).length > 0);
}

/** The cluster has a temporary name until `fill` has filled it, so that a killed start leaves no half-made cluster. */
export async function createCluster(link: string, fill: (cluster: Cluster) => Promise<void>): Promise<Cluster> {
  const folder = dirname(link);
  const user = databaseUser();
  // If `inPlace` is false, the cluster lies in ROOT_STORE, and `link` is a symbolic link to the cluster.
  const inPlace = !runsAsRoot() || isReachableBy(folder, user);
  if (inPlace) removeDrafts(folder);
  else removeDraftsOf(link);
  const draft = createDraft(inPlace ? folder : openRootStore(), user);
  if (!inPlace) writeFileSync(draftNote(draft), ownerOf(link), { mode: 0o600 });
  await fill({ path: draft, user });
  if (inPlace) wrapStartupError(`name the database ${link}`, () => renameSync(draft, link));
  else wrapStartupError(`link the database to ${link}`, () => linkDraft(draft, link));
  return { path: realpathSync(link), user };
}

/** Matches the temporary directory of an unfinished cluster (a draft), and the password file beside the directory. */
const DRAFT = /^pg-[A-Za-z0-9]{6}(\.password)?$/;

function createDraft(folder: string, user: DatabaseUser): string {
  return wrapStartupError(`make a database directory in ${folder}`, () => {
    const draft = mkdtempSync(join(folder, 'pg-')); // the directory gets mode 0700, which PostgreSQL requires
    if (user.uid !== undefined && user.gid !== undefined) chownSync(draft, user.uid, user.gid);
    return draft;
  });
}

/** Removes temporary directories left by a killed start or restore. The caller must have the data directory's lock. */
function removeDrafts(folder: string): void {
  for (const name of readdirSync(folder).filter((name) => DRAFT.test(name)))
    rmSync(join(folder, name), { recursive: true, force: true });
}

const DRAFT_NOTE = /^pg-[A-Za-z0-9]{6}\.draft$/;

/** ROOT_STORE may contain drafts of other data directories, so a note beside each draft names its data directory. */
function removeDraftsOf(link: string): void {
  const store = openRootStore();
  for (const name of readdirSync(store).filter((name) => DRAFT_NOTE.test(name))) {
    if (readText(join(store, name)) !== ownerOf(link)) continue;
    const draft = join(store, basename(name, '.draft'));
    for (const left of [draft, `${draft}.password`, draftNote(draft)]) rmSync(left, { recursive: true, force: true });
  }
}

function draftNote(draft: string): string {
  return `${draft}.draft`;
}

/**
 * Links a finished draft. Removes the draft's note first, so that the finished database is never removed as a draft.
 */
function linkDraft(draft: string, link: string): void {
  rmSync(draftNote(draft));
  claimCluster(draft, link);
  symlinkSync(draft, link);
}

function readCluster(path: string): Cluster {
  const { uid, gid } = statSync(path);
  if (!runsAsRoot()) return { path: realpathSync(path), user: {} };
  if (uid === 0) throw new StartupError(`${path} belongs to root, and PostgreSQL does not run as root`);
  return { path: realpathSync(path), user: { uid, gid } };
}

/** Root follows only links into ROOT_STORE, because other links could lead to any user's files. */
function followLink(link: string): Cluster {
  const target = resolve(dirname(link), readlinkSync(link));
  if (!existsSync(target)) throw new StartupError(`${link} points to ${target}, which is gone: the database was moved`);
  if (!runsAsRoot()) return readCluster(assertOwnedByThisUser(target));
  if (dirname(target) !== openRootStore() || !lstatSync(target).isDirectory())
    throw new StartupError(`${link} points to ${target}; as root it may only point to a database in ${ROOT_STORE}`);
  claimCluster(target, link);
  return readCluster(target);
}

function assertOwnedByThisUser(path: string): string {
  const { uid } = statSync(path);
  if (!runsAsRoot() && uid !== process.getuid?.())
    throw new StartupError(`${path} belongs to another user (uid ${uid}): start as that user, or set another DATA_DIR`);
  return path;
}

/** Refuses a copied data directory, because two services with one cluster would stop each other's PostgreSQL. */
function claimCluster(cluster: string, link: string): void {
  const owner = ownerOf(link);
  const ownerFile = `${cluster}.home`;
  const recordedOwner = readText(ownerFile);
  if (recordedOwner === owner) return;
  if (recordedOwner !== null && pointsTo(recordedOwner, cluster))
    throw new StartupError(
      `${link} is a copy of ${recordedOwner} and would share its database: remove it to start with an empty one`,
    );
  writeFileSync(ownerFile, `${owner}\n`, { mode: 0o600 });
}

function ownerOf(link: string): string {
  return join(realpathSync(dirname(link)), basename(link));
}

function pointsTo(link: string, cluster: string): boolean {
  try {
    return realpathSync(link) === cluster;
  } catch {
    return false; // `link` was moved or removed, so no other data directory uses the cluster.
  }
}
