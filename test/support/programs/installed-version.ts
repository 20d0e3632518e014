import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { mustRun } from '../../../tools/scripts/extensions-check/commands.js';
import { makePackage } from '../../../tools/scripts/package.js';

const ROOT = join(import.meta.dirname, '../../..');
const COMPILER = join(ROOT, 'tools/node_modules/typescript-7/bin/tsc');

/** A version of this project as its package, beside the outbox of its examples, in a folder that has what they import. */
export interface InstalledVersion {
  readonly launcher: string;
  /** For `EXTENSIONS`. */
  readonly outbox: string;
}

/** @returns null where the history of this clone does not reach the commit, with a sentence unless REQUIRE_HISTORY forbids it */
export function findCommit(revision: string): string | null {
  try {
    const words = ['-C', ROOT, 'rev-parse', '--verify', '--quiet', `${revision}^{commit}`];
    return execFileSync('git', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    const sentence = `this clone has no commit ${revision}, so that no upgrade from it can be tried: fetch its history`;
    if (process.env['REQUIRE_HISTORY']) throw new Error(sentence);
    console.warn(sentence);
    return null;
  }
}

const BASELINE = 'src/migrations/baseline.sql';

/**
 * The same, where the commit has the baseline of this checkout.
 * @param baseline of this checkout
 * @returns null otherwise, with a sentence: until the first release the baseline changes, and no upgrade is possible
 */
export function findUpgradable(revision: string, baseline = readFileSync(join(ROOT, BASELINE), 'utf8')): string | null {
  const commit = findCommit(revision);
  if (commit === null) return null;
  const earlier = execFileSync('git', ['-C', ROOT, 'show', `${commit}:${BASELINE}`], { encoding: 'utf8' });
  if (earlier === baseline) return commit;
  console.warn(`the commit ${revision} has another baseline, so that no upgrade from it can be tried`);
  return null;
}

/** Builds and packs the commit as it was, with the packages of this checkout where its lock is the same. */
export async function installCommit(commit: string, folder: string): Promise<InstalledVersion> {
  const source = join(folder, 'source');
  mkdirSync(source, { recursive: true });
  const unpack = 'set -o pipefail; git archive "$0" | tar -x -C "$1"';
  await mustRun('bash', ['-c', unpack, commit, source], ROOT);
  for (const part of ['.', 'tools']) await installPackages(source, part);
  return install(source, folder);
}

/** The version of the files as they are here, committed or not. */
export function installCheckout(folder: string): Promise<InstalledVersion> {
  mkdirSync(folder, { recursive: true });
  return install(ROOT, folder);
}

async function installPackages(source: string, part: string): Promise<void> {
  const lock = join(part, 'package-lock.json');
  if (!existsSync(join(source, lock))) return;
  const isSame = readFileSync(join(source, lock)).equals(readFileSync(join(ROOT, lock)));
  if (isSame) symlinkSync(join(ROOT, part, 'node_modules'), join(source, part, 'node_modules'));
  else await mustRun('npm', ['ci'], join(source, part));
}

async function install(source: string, folder: string): Promise<InstalledVersion> {
  const { path } = await makePackage(source, folder);
  const packages = join(folder, 'node_modules');
  const own = join(packages, 'namewatch');
  mkdirSync(own, { recursive: true });
  await mustRun('tar', ['-xzf', path, '-C', own, '--strip-components=1'], folder);
  for (const name of readdirSync(join(source, 'node_modules')).filter((one) => !one.startsWith('.')))
    symlinkSync(join(source, 'node_modules', name), join(packages, name));
  const outbox = join(folder, 'outbox');
  cpSync(join(source, 'examples/outbox'), outbox, {
    recursive: true,
    filter: (file) => !/\/(test|dist|node_modules)$/.test(file),
  });
  await mustRun(process.execPath, [COMPILER, '-p', 'tsconfig.build.json'], outbox);
  return { launcher: join(own, 'bin/namewatch.mjs'), outbox };
}

/** Changes that a later release may bring: a column, and an index on a table that may be large. */
const LATER_MIGRATIONS = `
import { Migration } from '@mikro-orm/migrations';
class LaterColumn extends Migration {
  up() { this.addSql('alter table watch_entries add column colour text'); }
}
class LaterIndex extends Migration {
  isTransactional() { return false; }
  up() {
    this.addSql('create index concurrently if not exists watch_entries_by_colour on watch_entries (account_id, colour)');
  }
}
migrations.push(
  { name: 'Migration29990101000100LaterColumn', class: LaterColumn },
  { name: 'Migration29990101000200LaterIndex', class: LaterIndex },
);
`;

/** The same version with two more migrations, which only add, as docs/database.md asks of every one. */
export function installWithLaterMigrations(version: InstalledVersion, folder: string): InstalledVersion {
  const from = dirname(dirname(dirname(dirname(version.launcher))));
  const packages = join(folder, 'node_modules');
  cpSync(join(from, 'node_modules/namewatch'), join(packages, 'namewatch'), { recursive: true });
  for (const name of readdirSync(join(from, 'node_modules')).filter((one) => one !== 'namewatch'))
    symlinkSync(join(from, 'node_modules', name), join(packages, name));
  cpSync(version.outbox, join(folder, 'outbox'), { recursive: true });
  appendFileSync(join(packages, 'namewatch/dist/migrations/index.js'), LATER_MIGRATIONS);
  return { launcher: join(packages, 'namewatch/bin/namewatch.mjs'), outbox: join(folder, 'outbox') };
}
