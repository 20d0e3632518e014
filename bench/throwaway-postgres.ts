import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../src/process/embedded-postgres.js';

export interface ThrowawayPostgres {
  readonly url: string;
  close(): Promise<void>;
}

/** An empty PostgreSQL that nothing of remains. */
export async function throwawayPostgres(): Promise<ThrowawayPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'namewatch-bench-'));
  chmodSync(folder, 0o755);
  const password = randomBytes(12).toString('hex');
  const { url, stop } = await startEmbeddedPostgres({ cluster: join(folder, 'pg'), password, fast: true });
  const close = async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { url, close };
}
