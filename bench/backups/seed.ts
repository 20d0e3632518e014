import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { generateApiKey } from '../../src/auth/domain/api-key-text.js';
import { readConfig } from '../../src/config/config.js';
import { DataDirectory } from '../../src/process/data-directory.js';
import { openDatabase } from '../../src/process/open-database.js';
import { findCluster } from '../../src/process/postgres/cluster.js';
import { postgresBinaries } from '../../src/process/postgres/postgres-binaries.js';
import { runSeeding } from '../seeding.js';
import { watchedEntries } from '../watched-entries.js';

const LAUNCHER = join(import.meta.dirname, '../../bin/namewatch.mjs');
const OWNER = 'namewatch_owner';

/** Makes a data directory with so many entries. @returns the API key of an account with 1 000 of them */
export async function seedDataDirectory(dataDir: string, entries: number): Promise<string> {
  const env = { ...process.env, DATA_DIR: dataDir, LOG_LEVEL: 'warn' };
  await promisify(execFile)(process.execPath, [LAUNCHER, 'migrate'], { env });
  alterOwner(dataDir, 'superuser'); // seeding leaves out triggers
  const { config, close } = await openDatabase(readConfig({ DATA_DIR: dataDir }));
  const database = new pg.Client({ connectionString: config.migrationDatabaseUrl ?? '' });
  await database.connect();
  const { kind, plan } = watchedEntries(entries);
  await runSeeding(database, plan, (sentence) => console.error(`${kind} of ${entries}: ${sentence}`));
  const { id, digest, text } = generateApiKey();
  await database.query(
    `insert into api_keys (id, account_id, name, digest, scopes, created_at, issued_by)
     select $1, min(id), 'bench', $2, '{admin}', now(), 'cli' from accounts`,
    [id, digest],
  );
  await database.query('drop schema bench cascade');
  await database.end();
  await close();
  alterOwner(dataDir, 'nosuperuser');
  return text;
}

/** Works while no server runs on the files, as their owner. */
function alterOwner(dataDir: string, right: string): void {
  const cluster = findCluster(DataDirectory.open(dataDir).cluster);
  if (!cluster) throw new Error(`there is no database in ${dataDir}`);
  execFileSync(postgresBinaries().postgres, ['--single', '-D', cluster.path, 'namewatch'], {
    ...cluster.user,
    cwd: '/',
    input: `alter role ${OWNER} ${right};\n`,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
}
