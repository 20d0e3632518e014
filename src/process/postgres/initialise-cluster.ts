import { execFile, spawn } from 'node:child_process';
import { chownSync, rmSync, writeFileSync, existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { StartupError, errorMessage } from '../startup-error.js';
import type { Cluster } from './cluster.js';
import type { PostgresBinaries } from './postgres-binaries.js';
import { InvalidConfigurationError } from '../../config/invalid-configuration.error.js';
import { readText, replaceFile } from '../secret-file.js';

interface Initialisation {
  readonly binaries: PostgresBinaries;
  readonly passwords: Passwords;
  /** Nothing is forced to disk: for databases that a test throws away. */
  readonly fast: boolean;
}

/**
 * Fills an empty directory with a cluster that has one database. It belongs to the owner's role; without a password for
 * that, the one role is a superuser called as the database is.
 */
export async function initialiseCluster(cluster: Cluster, initialisation: Initialisation): Promise<void> {
  const { binaries, passwords, fast } = initialisation;
  const passwordFile = `${cluster.path}.password`;
  try {
    writeFileSync(passwordFile, `${passwords.password}\n`, { mode: 0o600, flag: 'wx' });
    const { uid, gid } = cluster.user;
    if (uid !== undefined && gid !== undefined) chownSync(passwordFile, uid, gid);
    const superuser = hasOwner(passwords) ? 'postgres' : DATABASE;
    const options = ['-U', superuser, `--pwfile=${passwordFile}`, ...(fast ? ['--no-sync'] : [])];
    await runInitdb(cluster, binaries, options);
  } finally {
    rmSync(passwordFile, { force: true });
  }
  await createDatabase(cluster, initialisation);
  if (hasOwner(passwords)) notePasswords(cluster, passwords);
}

/** The built-in C.UTF-8 sorts the same on every machine, whatever locales and ICU it has. */
const LOCALE = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--encoding=UTF8'];

async function runInitdb({ path, user }: Cluster, binaries: PostgresBinaries, options: string[]): Promise<void> {
  const always = ['-D', path, '--auth=scram-sha-256', ...LOCALE];
  try {
    const process = { ...user, cwd: '/', env: POSTGRES_ENVIRONMENT };
    await promisify(execFile)(binaries.initdb, [...always, ...options], process);
  } catch (cause) {
    const { stderr = '' } = cause as { stderr?: string };
    throw new StartupError(`initdb failed in ${path}: ${stderr.trim() || errorMessage(cause)}`, { cause });
  }
}

/** Works in single-user mode, so that the cluster is whole before any server listens on it. */
async function createDatabase(cluster: Cluster, { binaries, passwords, fast }: Initialisation): Promise<void> {
  const create = `create database ${DATABASE};`; // inherits what template1 lets its roles call
  const statements = hasOwner(passwords) ? [...createRoles(passwords), create, ...ASSIGN_DATABASE] : [create];
  const { postgres } = binaries;
  const complaint = await runInSingleUserMode(cluster, { postgres, database: 'template1', statements, fast });
  if (complaint !== null) throw new StartupError(`the database could not be created in ${cluster.path}: ${complaint}`);
}

/** The database, and the role as which the service reads and writes. */
export const DATABASE = 'namewatch';
/** Owns the tables and migrates. */
export const OWNER = 'namewatch_owner';

export interface Passwords {
  /** Is that of the role as which the service reads and writes. */
  readonly password: string;
  /** Lets the owner of the tables log in. Without it the one role is a superuser, which suits databases of a test. */
  readonly ownerPassword?: string;
}

type RolePasswords = Required<Passwords>;

export function hasOwner(passwords: Passwords): passwords is RolePasswords {
  return passwords.ownerPassword !== undefined;
}

const LIMITS = 'login nosuperuser nocreatedb nocreaterole noreplication nobypassrls';

/**
 * One role owns the database. The service connects as another role, which only reads and writes. The superuser gets no
 * password: only the owner of the files can become superuser, in single-user mode.
 */
function createRoles({ password, ownerPassword }: RolePasswords): string[] {
  return [
    'alter role postgres password null;',
    `create role ${OWNER} ${LIMITS} password ${quoted(ownerPassword)};`,
    `create role ${DATABASE} ${LIMITS} password ${quoted(password)};`,
  ];
}

const ASSIGN_DATABASE = [
  `alter database ${DATABASE} owner to ${OWNER};`,
  `revoke all on database ${DATABASE} from public;`,
  `grant connect, temporary on database ${DATABASE} to ${DATABASE};`,
];

/**
 * Sets the passwords of the data directory where the roles have others. No server runs on the cluster meanwhile. A crash in
 * the middle is repeated by the next start.
 */
export async function setPasswords(cluster: Cluster, postgres: string, passwords: RolePasswords): Promise<void> {
  if (readFileSync(passwordsFile(cluster), 'utf8').trim() === digestOf(passwords)) return;
  const statements = [
    `alter role ${OWNER} password ${quoted(passwords.ownerPassword)};`,
    `alter role ${DATABASE} password ${quoted(passwords.password)};`,
  ];
  const complaint = await runInSingleUserMode(cluster, { postgres, database: DATABASE, statements });
  if (complaint !== null) throw new StartupError(`cannot set new passwords in ${cluster.path}: ${complaint}`);
  notePasswords(cluster, passwords);
}

/** Notes in the cluster which passwords its roles have; a cluster has this file from the beginning. */
function notePasswords(cluster: Cluster, passwords: RolePasswords): void {
  replaceFile(passwordsFile(cluster), digestOf(passwords));
}

/**
 * PostgreSQL reads the files of its own major version alone.
 * @throws InvalidConfigurationError with the commands that move the data
 */
export function assertSameMajor(cluster: string, major: string): void {
  const made = readText(join(cluster, 'PG_VERSION'));
  if (made === null || made === major) return;
  const folder = dirname(cluster);
  const backup = `${folder}-backup`;
  const steps = [
    `"namewatch backup ${backup}" with the Namewatch that made it`,
    `"mv ${cluster} ${cluster}-${made}"`,
    `"namewatch restore ${backup}" with this one`,
  ];
  const sentence = `${cluster} was made by PostgreSQL ${made}, and this Namewatch has PostgreSQL ${major}`;
  throw new InvalidConfigurationError([`DATA_DIR: ${sentence}: run ${steps.join(', ')} (docs/backup.md)`]);
}

/** @throws InvalidConfigurationError for a cluster that was made before 1.0, which stays as it is */
export async function assertReadable(cluster: Cluster): Promise<void> {
  if (existsSync(passwordsFile(cluster))) return;
  const { DatabaseOfAnotherVersion } = await import('../../platform/database/migration/migration-history.js');
  throw new InvalidConfigurationError([`DATA_DIR: ${DatabaseOfAnotherVersion.earlier().message}`]);
}

function passwordsFile({ path }: Cluster): string {
  return join(path, 'namewatch-passwords');
}

function digestOf({ password, ownerPassword }: RolePasswords): string {
  return createHash('sha256')
    .update(JSON.stringify([password, ownerPassword]))
    .digest('hex');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** PostgreSQL gets none of the service's environment, which holds its secrets. */
export const POSTGRES_ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC' };

interface SingleUserRun {
  readonly postgres: string;
  readonly database: string;
  /** One line each. */
  readonly statements: readonly string[];
  /** Nothing is forced to disk: for databases that a test throws away. */
  readonly fast?: boolean;
}

/** A complaint never quotes its statement, which may hold a password. */
const SETTINGS = [
  'exit_on_error=on',
  'log_min_error_statement=panic',
  'log_checkpoints=off',
  'log_line_prefix=',
].flatMap((setting) => ['-c', setting]);

/**
 * Runs statements as the superuser while no server listens on the cluster: that needs its files and no password.
 * @returns what PostgreSQL complained of, or null
 */
async function runInSingleUserMode({ path, user }: Cluster, run: SingleUserRun): Promise<string | null> {
  const options = ['--single', '-D', path, ...SETTINGS, ...(run.fast ? ['-F'] : []), run.database];
  const single = spawn(run.postgres, options, { ...user, cwd: '/', env: POSTGRES_ENVIRONMENT, stdio: 'pipe' });
  single.stdin.on('error', () => undefined); // it ended at an earlier statement, and says why below
  single.stdin.end(run.statements.map((statement) => `${statement}\n`).join(''));
  single.stdout.resume();
  const [complaint, [code]] = await Promise.all([text(single.stderr), once(single, 'close') as Promise<[number]>]);
  return code === 0 ? null : complaint.trim();
}
