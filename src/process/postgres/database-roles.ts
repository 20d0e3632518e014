import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidConfigurationError } from '../../config/invalid-configuration.error.js';
import { StartupError } from '../startup-error.js';
import type { Cluster } from './cluster.js';
import { replaceFile } from '../data-directory/secret-file.js';
import { runInSingleUserMode } from './single-user-mode.js';

/** The database, and the role as which the service reads and writes. */
export const DATABASE = 'namewatch';
/** Owns the tables and migrates. */
export const OWNER = 'namewatch_owner';

export interface RolePasswords {
  readonly serving: string;
  readonly owner: string;
}

const LIMITS = 'login nosuperuser nocreatedb nocreaterole noreplication nobypassrls';

/**
 * Lets the database belong to the owner's role, and the service connect as one that only reads and writes. The superuser
 * gets no password: it is reached in single-user mode only, by the owner of the files.
 */
export function createRoles({ serving, owner }: RolePasswords): string[] {
  return [
    'alter role postgres password null;',
    `create role ${OWNER} ${LIMITS} password ${quoted(owner)};`,
    `create role ${DATABASE} ${LIMITS} password ${quoted(serving)};`,
    `alter database ${DATABASE} owner to ${OWNER};`,
    `revoke all on database ${DATABASE} from public;`,
    `grant connect, temporary on database ${DATABASE} to ${DATABASE};`,
  ];
}

/**
 * Sets the passwords of the data directory where the roles have others. No server runs on the cluster meanwhile. A crash
 * in the middle is repeated by the next start.
 */
export async function setPasswords(cluster: Cluster, postgres: string, passwords: RolePasswords): Promise<void> {
  if (readFileSync(passwordsFile(cluster), 'utf8').trim() === digestOf(passwords)) return;
  const statements = [
    `alter role ${OWNER} password ${quoted(passwords.owner)};`,
    `alter role ${DATABASE} password ${quoted(passwords.serving)};`,
  ];
  const complaint = await runInSingleUserMode(cluster, { postgres, database: DATABASE, statements });
  if (complaint !== null) throw new StartupError(`cannot set new passwords in ${cluster.path}: ${complaint}`);
  notePasswords(cluster, passwords);
}

/** Notes in the cluster which passwords its roles have; a cluster has this file from the beginning. */
export function notePasswords(cluster: Cluster, passwords: RolePasswords): void {
  replaceFile(passwordsFile(cluster), digestOf(passwords));
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

function digestOf({ serving, owner }: RolePasswords): string {
  return createHash('sha256')
    .update(JSON.stringify([serving, owner]))
    .digest('hex');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
