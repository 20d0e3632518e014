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
  /** If true, PostgreSQL does not wait until data is on the disk. Use this only for temporary databases of tests. */
  readonly fast: boolean;
}

/**
 * Makes a PostgreSQL data directory (cluster). Without an owner's password, the only role is a superuser with the
 * database's name.
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

/** The database uses the built-in locale C.UTF-8, because it sorts text the same way on every machine. */
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

/**
 * Creates the database and its roles. Uses PostgreSQL's single-user mode, so that the cluster is complete before a
 * server listens.
 */
async function createDatabase(cluster: Cluster, { binaries, passwords, fast }: Initialisation): Promise<void> {
  const create = `create database ${DATABASE};`;
  const statements = hasOwner(passwords) ? [...createRoles(passwords), create, ...ASSIGN_DATABASE] : [create];
  const { postgres } = binaries;
  const complaint = await runInSingleUserMode(cluster, { postgres, database: 'template1', statements, fast });
  if (complaint !== null) throw new StartupError(`the database could not be created in ${cluster.path}: ${complaint}`);
}

/** The name of the database. The role that reads and writes has this name too. */
export const DATABASE = 'namewatch';
/** The name of the role that owns and migrates the tables. */
export const OWNER = 'namewatch_owner';

export interface Passwords {
  readonly password: string;
  /**
   * The password of the role that owns the tables. Test databases have no such role: their only role is a superuser.
   */
  readonly ownerPassword?: string;
}

type RolePasswords = Required<Passwords>;

export function hasOwner(passwords: Passwords): passwords is RolePasswords {
  return passwords.ownerPassword !== undefined;
}

const LIMITS = 'login nosuperuser nocreatedb nocreaterole noreplication nobypassrls';

/**
 * The superuser gets no password, so only the system user who owns the files can become superuser, in single-user mode.
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

/** Call this while no server runs on the cluster. If a crash interrupts the work, the next start repeats the work. */
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

/**
 * Stores a digest of the passwords in a file. Test clusters and clusters from before Namewatch 1.0 have no such file.
 */
function notePasswords(cluster: Cluster, passwords: RolePasswords): void {
  replaceFile(passwordsFile(cluster), digestOf(passwords));
}

/**
 * Refuses a cluster whose files this PostgreSQL cannot read.
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

/** Refuses a cluster that was made before Namewatch 1.0. Its files stay unchanged. @throws InvalidConfigurationError */
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

/**
 * The environment of PostgreSQL's processes. They do not inherit the service's environment, because it contains
 * secrets.
 */
export const POSTGRES_ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC' };

interface SingleUserRun {
  readonly postgres: string;
  readonly database: string;
  /** The statements to run. Each statement is one line. */
  readonly statements: readonly string[];
  /** If true, PostgreSQL does not wait until data is on the disk. Use this only for temporary databases of tests. */
  readonly fast?: boolean;
}

/**
 * These settings end PostgreSQL at the first error, and keep statements, which may contain passwords, out of error
 * messages.
 */
const SETTINGS = [
  'exit_on_error=on',
  'log_min_error_statement=panic',
  'log_checkpoints=off',
  'log_line_prefix=',
].flatMap((setting) => ['-c', setting]);

/**
 * Runs statements as superuser, without a password. No server may run meanwhile.
 * @returns PostgreSQL's error message, or null
 */
async function runInSingleUserMode({ path, user }: Cluster, run: SingleUserRun): Promise<string | null> {
  const options = ['--single', '-D', path, ...SETTINGS, ...(run.fast ? ['-F'] : []), run.database];
  const single = spawn(run.postgres, options, { ...user, cwd: '/', env: POSTGRES_ENVIRONMENT, stdio: 'pipe' });
  single.stdin.on('error', () => undefined); // writing fails if PostgreSQL ended after an error, which is in stderr
  single.stdin.end(run.statements.map((statement) => `${statement}\n`).join(''));
  single.stdout.resume();
  const [complaint, [code]] = await Promise.all([text(single.stderr), once(single, 'close') as Promise<[number]>]);
  return code === 0 ? null : complaint.trim();
}
