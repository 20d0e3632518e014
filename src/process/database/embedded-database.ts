import { realpathSync } from 'node:fs';
import { databaseUrls, type EmbeddedPostgres, startEmbeddedPostgres } from '../postgres/embedded-postgres.js';
import type { Config } from '../../config/config.js';
import type { DataDirectory } from '../data-directory/data-directory.js';
import { findPostmaster } from '../postgres/postmaster.js';
import { type RestartLog, startSupervised } from '../postgres/supervised-postgres.js';

/** Starts the data directory's own PostgreSQL; the caller holds its lock. */
export function startEmbeddedDatabase(directory: DataDirectory): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({ cluster: directory.cluster, ...readPasswords(directory) });
}

/** The same for a service, which a PostgreSQL that is killed need not end. */
export function keepEmbeddedDatabase(directory: DataDirectory, log: RestartLog): Promise<EmbeddedPostgres> {
  const options = { cluster: directory.cluster, ...readPasswords(directory) };
  return startSupervised((again) => startEmbeddedPostgres({ ...options, ...again }), log);
}

/** Where the service connects, and where the tables' owner does. */
export type DatabaseUrls = Pick<EmbeddedPostgres, 'url' | 'migrationUrl'>;

function readPasswords(directory: DataDirectory) {
  return { password: directory.databasePassword(), ownerPassword: directory.ownerPassword() };
}

/** The addresses of the data directory's PostgreSQL while a service keeps it running; null before it is ready. */
export function findRunningDatabase(directory: DataDirectory): DatabaseUrls | null {
  if (!directory.hasCluster) return null;
  const server = findPostmaster(realpathSync(directory.cluster));
  return server?.ready ? databaseUrls(readPasswords(directory), server.port) : null;
}

/**
 * The settings with the embedded database's addresses. A master key of the settings encrypts; the directory's own, made
 * when the settings have none, still decrypts what it encrypted before they had.
 */
export function withEmbeddedDatabase(config: Config, directory: DataDirectory, urls: DatabaseUrls): Config {
  const own = config.masterKeys.length === 0 ? directory.masterKey() : directory.existingMasterKey();
  const keys = new Set(own === null ? config.masterKeys : [...config.masterKeys, own]);
  return config.withDatabase(urls, [...keys]);
}
