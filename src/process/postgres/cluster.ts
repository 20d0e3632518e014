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
import { wrapStartupError, StartupError, errorMessage } from '../startup-error.js';
import {
  type DatabaseUser,
  databaseUser,
  runsAsRoot,
  openRootStore,
  isReachableBy,
  ROOT_STORE,
} from './database-user.js';

/** A PostgreSQL data directory, and the user who owns its files. */
export interface Cluster {
  readonly path: string;
  readonly user: DatabaseUser;
}

/**
 * Returns the cluster at `link` (DATA_DIR/pg), or null if there is none yet. If root starts the service, PostgreSQL's
 * user may be unable to reach DATA_DIR. Then the cluster moves to ROOT_STORE, and `link` becomes a symbolic link.
 */
export function findCluster(link: string): Cluster | null {
  finishMove(link);
  const stats = lstatSync(link, { throwIfNoEntry: false });
  if (!stats) return null;
  if (stats.isSymbolicLink()) return followLink(link);
  if (readdirSync(assertOwnedByThisUser(link)).length === 0) return null;
  const cluster = readCluster(link);
  return runsAsRoot() && !isReachableBy(dirname(link), cluster.user) ? moveToRootStore(link, cluster) : cluster;
}

/** True for anything but an empty folder. A link to a deleted cluster and an unfinished move count too. */
export function isTaken(link: string): boolean {
  if (lstatSync(pendingLink(link), { throwIfNoEntry: false })) return true;
  const stats = lstatSync(link, { throwIfNoEntry: false });
  return stats !== undefined && (!stats.isDirectory() || readdirSync(link).length > 0);
}

/** Lets `fill` make a cluster elsewhere, and puts it in place at the end. So a killed start leaves no half cluster. */
export async function createCluster(link: string, fill: (cluster: Cluster) => Promise<void>): Promise<Cluster> {
  const folder = dirname(link);
  const user = databaseUser();
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

/** Matches the directory that `mkdtemp` makes, and the password file beside it. */
const DRAFT = /^pg-[A-Za-z0-9]{6}(\.password)?$/;

function createDraft(folder: string, user: DatabaseUser): string {
  return wrapStartupError(`make a database directory in ${folder}`, () => {
    const draft = mkdtempSync(join(folder, 'pg-')); // mode 0700, which PostgreSQL requires
    if (user.uid !== undefined && user.gid !== undefined) chownSync(draft, user.uid, user.gid);
    return draft;
  });
}

/** Removes the leftovers of a killed start or restore. The caller holds the lock of the data directory. */
function removeDrafts(folder: string): void {
  for (const name of readdirSync(folder).filter((name) => DRAFT.test(name)))
    rmSync(join(folder, name), { recursive: true, force: true });
}

const DRAFT_NOTE = /^pg-[A-Za-z0-9]{6}\.draft$/;

/** Removes only the drafts of this data directory. A note beside each draft in ROOT_STORE names the data directory. */
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

/** Removes the draft's note first, so that a finished database is never taken for a draft. */
function linkDraft(draft: string, link: string): void {
  rmSync(draftNote(draft));
  linkTo(draft, link, link);
}

function linkTo(path: string, link: string, name: string): void {
  claimCluster(path, link);
  symlinkSync(path, name);
}

function readCluster(path: string): Cluster {
  const { uid, gid } = statSync(path);
  if (!runsAsRoot()) return { path: realpathSync(path), user: {} };
  if (uid === 0) throw new StartupError(`${path} belongs to root, and PostgreSQL does not run as root`);
  return { path: realpathSync(path), user: { uid, gid } };
}

/** Follows a link. Root follows only links into its own store, since other links could lead to any user's files. */
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

/** Makes the link under a temporary name and renames the link. After a crash, the next start completes the rename. */
function moveToRootStore(link: string, { user }: Cluster): Cluster {
  const target = createDraft(openRootStore(), user);
  try {
    linkTo(target, link, pendingLink(link));
    renameSync(link, target);
  } catch (cause) {
    for (const made of [pendingLink(link), target, `${target}.home`]) rmSync(made, { recursive: true, force: true });
    const closed = `the database user cannot reach ${link}, and it cannot be moved to ${ROOT_STORE}`;
    throw new StartupError(`${closed}: ${errorMessage(cause)}`, { cause });
  }
  finishMove(link);
  return { path: target, user };
}

function finishMove(link: string): void {
  const next = pendingLink(link);
  if (lstatSync(link, { throwIfNoEntry: false }) || !lstatSync(next, { throwIfNoEntry: false })) return;
  wrapStartupError(`name the database ${link}`, () => renameSync(next, link));
}

function pendingLink(link: string): string {
  return join(dirname(link), `${basename(link)}.moved`);
}

/**
 * Records beside a cluster in ROOT_STORE which data directory uses it. Refuses a copy of that directory, since two
 * services on one cluster would stop each other's PostgreSQL.
 */
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
    return false; // the link was moved or removed, so the cluster is free
  }
}
