import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type pg from 'pg';
import { migrations } from '../../src/migrations/index.js';
import { runSeeding, type SeedStep } from './seeding.js';
import { LAUNCHER, MASTER_KEY } from './child.js';
import { connect, postgresIn, throwawayPostgres } from './postgres.js';

/** Rows for a suite: the name of their kind, how many, and how they are written. */
export interface Seed {
  readonly kind: string;
  readonly size: number;
  readonly plan: (database: pg.Client) => Promise<readonly SeedStep[]>;
}

/**
 * Rows that can be made again need no log: PostgreSQL then writes none for an index that is built. Buffers are those that
 * docs/database.md advises for millions of names: a quarter of the memory, of which a server takes what it uses.
 */
const SETTINGS = {
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '1GB',
  shared_buffers: `${Math.round(totalmem() / 4 / 1_048_576)}MB`,
};

/**
 * A PostgreSQL with seeded rows. A kept one is opened again as the last run left it and migrated; it is seeded again when
 * it knows a migration that is not among ours.
 * @param keep a folder for all that is kept from run to run; null keeps nothing
 * @returns its URL
 */
export async function seededPostgres(
  seed: Seed,
  keep: string | null,
  settings: Readonly<Record<string, string>> = {},
): Promise<string> {
  const all = { ...SETTINGS, ...settings };
  const report = (sentence: string) => console.error(`${seed.kind} of ${seed.size}: ${sentence}`);
  const url = keep === null ? await throwawayPostgres(all) : await keptPostgres(keep, seed, all, report);
  await migrate(url);
  await runSeeding(await connect(url), seed.plan, report);
  return url;
}

async function keptPostgres(
  keep: string,
  { kind, size }: Seed,
  settings: Readonly<Record<string, string>>,
  report: (sentence: string) => void,
): Promise<string> {
  const folder = join(keep, `${kind}-${size}`);
  const [schemaFile, passwordFile] = [join(folder, 'schema'), join(folder, 'password')];
  const ours = migrations.map(({ name }) => name);
  const isKept =
    existsSync(schemaFile) &&
    readFileSync(schemaFile, 'utf8')
      .split('\n')
      .every((name) => ours.includes(name));
  if (!isKept) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    writeFileSync(passwordFile, randomBytes(12).toString('hex'), { mode: 0o600 });
  }
  writeFileSync(schemaFile, ours.join('\n'));
  report(`${isKept ? 'opened' : 'made and kept'} in ${folder}`);
  return postgresIn(folder, readFileSync(passwordFile, 'utf8'), settings);
}

async function migrate(url: string): Promise<void> {
  const settings = { DATABASE_URL: url, MASTER_KEY, LOG_LEVEL: 'warn' };
  await promisify(execFile)(process.execPath, [LAUNCHER, 'migrate'], { env: { ...process.env, ...settings } });
}
