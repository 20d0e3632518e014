import { execFile } from 'node:child_process';
import { chownSync, rmSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { StartupError, errorMessage } from '../startup-error.js';
import type { Cluster } from './cluster.js';
import { createRoles, DATABASE, notePasswords, type RolePasswords } from './database-roles.js';
import type { PostgresBinaries } from './postgres-binaries.js';
import { POSTGRES_ENVIRONMENT, runInSingleUserMode } from './single-user-mode.js';

interface Initialisation {
  readonly binaries: PostgresBinaries;
  readonly passwords: RolePasswords | { readonly serving: string };
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
    writeFileSync(passwordFile, `${passwords.serving}\n`, { mode: 0o600, flag: 'wx' });
    const { uid, gid } = cluster.user;
    if (uid !== undefined && gid !== undefined) chownSync(passwordFile, uid, gid);
    const superuser = 'owner' in passwords ? 'postgres' : DATABASE;
    const options = ['-U', superuser, `--pwfile=${passwordFile}`, ...(fast ? ['--no-sync'] : [])];
    await runInitdb(cluster, binaries, options);
  } finally {
    rmSync(passwordFile, { force: true });
  }
  await createDatabase(cluster, initialisation);
  if ('owner' in passwords) notePasswords(cluster, passwords);
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

/** In single-user mode, so that the cluster is whole before any server listens on it. */
async function createDatabase(cluster: Cluster, { binaries, passwords, fast }: Initialisation): Promise<void> {
  const statements = [`create database ${DATABASE};`, ...('owner' in passwords ? createRoles(passwords) : [])];
  const { postgres } = binaries;
  const complaint = await runInSingleUserMode(cluster, { postgres, database: 'template1', statements, fast });
  if (complaint !== null) throw new StartupError(`the database could not be created in ${cluster.path}: ${complaint}`);
}
