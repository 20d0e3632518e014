import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../src/process/postgres/embedded-postgres.js';

export interface ThrowawayPostgres {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * An empty PostgreSQL that nothing of remains.
 * @param settings of the server, beyond its usual ones
 */
export async function throwawayPostgres(settings: Readonly<Record<string, string>> = {}): Promise<ThrowawayPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'namewatch-bench-'));
  chmodSync(folder, 0o755);
  const password = randomBytes(12).toString('hex');
  const start = () => startEmbeddedPostgres({ cluster: join(folder, 'pg'), password, fast: true });
  let { url, stop } = await start();
  if (Object.keys(settings).length > 0) {
    await set(url, settings);
    await stop();
    ({ url, stop } = await start()); // some are read at a start alone
  }
  const close = async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { url, close };
}

async function set(url: string, settings: Readonly<Record<string, string>>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const [name, value] of Object.entries(settings))
    await client.query(`alter system set ${name} = ${client.escapeLiteral(value)}`);
  await client.end();
}
