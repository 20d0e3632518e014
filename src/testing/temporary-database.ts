import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../process/postgres/embedded-postgres.js';

export interface TemporaryDatabase {
  /** The URL for the only user, a superuser. */
  readonly url: string;
  /** Stops the database and deletes its files. */
  readonly remove: () => Promise<void>;
}

/** Starts an empty PostgreSQL in a folder of its own. For speed, PostgreSQL does not wait until data is on the disk. */
export async function startTemporaryDatabase(): Promise<TemporaryDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'namewatch-testing-'));
  chmodSync(folder, 0o711); // if root runs the test, the database user must be able to enter
  const cluster = join(folder, 'pg');
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  try {
    const password = randomBytes(12).toString('hex');
    const { url, stop } = await startEmbeddedPostgres({ cluster, password, fast: true });
    // If root runs the test, `cluster` is a link to a folder that PostgreSQL's user can reach.
    const path = realpathSync(cluster);
    const remove = async () => {
      await stop();
      for (const left of [path, `${path}.home`]) rmSync(left, { recursive: true, force: true });
      removeFolder();
    };
    return { url, remove };
  } catch (error) {
    removeFolder();
    throw error;
  }
}
