import { execFile } from 'node:child_process';
import { chownSync, rmSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { StartupError, errorMessage } from '../startup-error.js';
import type { Cluster } from './cluster.js';
import type { PostgresBinaries } from './postgres-binaries.js';
import { POSTGRES_ENVIRONMENT, runInSingleUserMode } from './single-user-mode.js';

export const DATABASE = 'namewatch';

interface Initialisation {
  readonly binaries: PostgresBinaries;
  readonly password: string;
  /** Nothing is forced to disk: for databases that a test throws away. */
  readonly fast: boolean;
}

/** Fills an empty directory with a cluster that has one role and one database, both called namewatch. */
export async function initialiseCluster(cluster: Cluster, { binaries, password, fast }: Initialisation): Promise<void> {
  const passwordFile = `${cluster.path}.password`;
  try {
    writeFileSync(passwordFile, `${password}\n`, { mode: 0o600, flag: 'wx' });
    const { uid, gid } = cluster.user;
    if (uid !== undefined && gid !== undefined) chownSync(passwordFile, uid, gid);
    await runInitdb(cluster, binaries, [`--pwfile=${passwordFile}`, ...(fast ? ['--no-sync'] : [])]);
  } finally {
    rmSync(passwordFile, { force: true });
  }
  await createDatabase(cluster, binaries, fast);
}

/** The built-in C.UTF-8 sorts the same on every machine, whatever locales and ICU it has. */
const LOCALE = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--encoding=UTF8'];

async function runInitdb({ path, user }: Cluster, binaries: PostgresBinaries, options: string[]): Promise<void> {
  const role = ['-U', DATABASE, '--auth=scram-sha-256'];
  try {
    const process = { ...user, cwd: '/', env: POSTGRES_ENVIRONMENT };
    await promisify(execFile)(binaries.initdb, ['-D', path, ...role, ...LOCALE, ...options], process);
  } catch (cause) {
    const { stderr = '' } = cause as { stderr?: string };
    throw new StartupError(`initdb failed in ${path}: ${stderr.trim() || errorMessage(cause)}`, { cause });
  }
}

/** In single-user mode, so that the cluster is whole before any server listens on it. */
async function createDatabase(cluster: Cluster, binaries: PostgresBinaries, fast: boolean): Promise<void> {
  const statements = [`create database ${DATABASE};`];
  const { postgres } = binaries;
  const complaint = await runInSingleUserMode(cluster, { postgres, database: 'template1', statements, fast });
  if (complaint !== null) throw new StartupError(`the database could not be created in ${cluster.path}: ${complaint}`);
}
