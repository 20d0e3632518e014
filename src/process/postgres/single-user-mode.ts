import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Cluster } from './cluster.js';

/** PostgreSQL gets none of the service's environment, which holds its secrets. */
export const POSTGRES_ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC' };

interface SingleUserRun {
  readonly postgres: string;
  readonly database: string;
  /** One line each. */
  readonly statements: readonly string[];
  /** Nothing is forced to disk: for databases that a test throws away. */
  readonly fast?: boolean;
}

/** A complaint never quotes its statement, which may hold a password. */
const SETTINGS = [
  'exit_on_error=on',
  'log_min_error_statement=panic',
  'log_checkpoints=off',
  'log_line_prefix=',
].flatMap((setting) => ['-c', setting]);

/**
 * Runs statements as the superuser while no server listens on the cluster: that needs its files and no password.
 * @returns what PostgreSQL complained of, or null
 */
export async function runInSingleUserMode({ path, user }: Cluster, run: SingleUserRun): Promise<string | null> {
  const options = ['--single', '-D', path, ...SETTINGS, ...(run.fast ? ['-F'] : []), run.database];
  const single = spawn(run.postgres, options, { ...user, cwd: '/', env: POSTGRES_ENVIRONMENT, stdio: 'pipe' });
  single.stdin.on('error', () => undefined); // it ended at an earlier statement, and says why below
  single.stdin.end(run.statements.map((statement) => `${statement}\n`).join(''));
  single.stdout.resume();
  const [complaint, [code]] = await Promise.all([text(single.stderr), once(single, 'close') as Promise<[number]>]);
  return code === 0 ? null : complaint.trim();
}
