import { randomBytes } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { generateApiKey } from '../../src/auth/domain/api-key.js';
import { newId } from '../../src/kernel/identifier.js';
import { startEmbeddedPostgres } from '../../src/process/postgres/embedded-postgres.js';
import { atEnd, temporaryFolder } from './cleanup.js';

type ServerSettings = Readonly<Record<string, string>>;

/** Starts an empty PostgreSQL that nothing of remains. @returns its URL */
export async function throwawayPostgres(settings: ServerSettings = {}): Promise<string> {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755); // PostgreSQL's user walks through it
  return postgresIn(folder, randomBytes(12).toString('hex'), settings);
}

/** Starts the PostgreSQL of this folder, which is made when there is none, and which stays. @returns its URL */
export async function postgresIn(folder: string, password: string, settings: ServerSettings): Promise<string> {
  const { url, stop } = await startEmbeddedPostgres({ cluster: join(folder, 'pg'), password, fast: true, settings });
  atEnd(stop);
  return url;
}

export async function connect(url: string, name = 'bench'): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: name });
  await client.connect();
  atEnd(() => client.end());
  return client;
}

/** Makes another database on that server. @returns its URL */
export async function databaseFor(name: string, url: string): Promise<string> {
  const client = await connect(url);
  await client.query(`create database ${client.escapeIdentifier(name)}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return own.href;
}

/** Adds an account with a key and nothing else. */
export async function openAccount(database: pg.Client, plan = 'selfhost'): Promise<{ id: string; key: string }> {
  const [id, { id: keyId, digest, text }] = [newId('acc'), generateApiKey()];
  await database.query(`insert into accounts (id, name, plan, created_at) values ($1, 'bench', $2, now())`, [id, plan]);
  await database.query(
    `insert into api_keys (id, account_id, name, digest, scopes, created_at, issued_by)
     values ($1, $2, 'bench', $3, '{admin}', now(), 'cli')`,
    [keyId, id, digest],
  );
  return { id, key: text };
}
