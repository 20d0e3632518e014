import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../src/process/postgres/embedded-postgres.js';

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
  const postgres = await postgresIn(folder, randomBytes(12).toString('hex'), settings);
  const close = async () => {
    await postgres.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { url: postgres.url, close };
}

/** The PostgreSQL of this folder, which is made when there is none, and which stays when it is closed. */
export async function postgresIn(
  folder: string,
  password: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<ThrowawayPostgres> {
  const { url, stop } = await startEmbeddedPostgres({ cluster: join(folder, 'pg'), password, fast: true, settings });
  return { url, close: stop };
}
