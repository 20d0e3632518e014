import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { postgresBinaries } from '../../src/process/postgres/postgres-binaries.js';
import { redisForTests } from '../support/servers/redis-server.mjs';

/** The facts that figures depend on. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly node: string;
  readonly postgresql: string;
  /** null: there is none, and what needs it was left out. */
  readonly redis: string | null;
}

const root = join(import.meta.dirname, '../..');

export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGib: Math.round((totalmem() / 2 ** 30) * 10) / 10,
    node: process.version.replace(/^v/, ''),
    postgresql: versionOf(postgresBinaries().postgres) ?? 'unknown',
    redis: redisVersion(),
  };
}

/** Names the commit of the sources that are measured; "unknown" without a repository. */
export function describeCommit(): string {
  const commit = run('git', ['rev-parse', '--short=10', 'HEAD']);
  if (commit === null) return 'unknown';
  return run('git', ['status', '--porcelain']) === '' ? commit : `${commit} with changes`;
}

export function machineText({ cpu, cores, memoryGib, node, postgresql, redis }: Machine): string {
  const servers = `Node ${node}, PostgreSQL ${postgresql}, ${redis === null ? 'no Redis' : `Redis ${redis}`}`;
  return `${cores} × ${cpu}, ${memoryGib} GiB, ${servers}`;
}

function redisVersion(): string | null {
  const found = redisForTests();
  if (found === null) return null;
  return found.program === undefined ? 'at REDIS_URL' : (versionOf(found.program) ?? 'unknown');
}

function versionOf(program: string): string | null {
  return /(?:v=|\) )(\d[\w.]*)/.exec(run(program, ['--version']) ?? '')?.[1] ?? null;
}

/** @returns null when it fails or is not there */
function run(program: string, args: readonly string[]): string | null {
  try {
    return execFileSync(program, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return null;
  }
}
