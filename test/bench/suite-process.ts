import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { SuiteMessage } from './run-suite.js';
import { DEFAULT_LIMIT_SECONDS, type Figure, type RunOptions } from './suite.js';

interface SuiteRun {
  readonly figures: readonly Figure[];
  readonly seconds: number;
}

interface StartOptions {
  readonly plan: RunOptions;
  /** Replaces the suite's own; null leaves that one. */
  readonly limitSeconds: number | null;
  /** Called as soon as the suite is loaded. */
  readonly onStarted: (about: string) => void;
  /** Stops the suite with an error. */
  readonly signal: AbortSignal;
}

/**
 * Runs a suite in a process group and a temporary folder of its own. When it ends, in whatever way, its children end
 * and the folder is removed.
 * @param path of the suite from this folder, such as `list/list.ts`
 * @throws when it fails, exceeds its limit or is stopped
 */
export async function runSuite(path: string, options: StartOptions): Promise<SuiteRun> {
  const began = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'namewatch-bench-'));
  chmodSync(folder, 0o755); // PostgreSQL's user walks through it
  const child = spawn(
    process.execPath,
    [
      '--import',
      './tools/scripts/typescript.mjs',
      join(import.meta.dirname, 'run-suite.ts'),
      path,
      JSON.stringify(options.plan),
    ],
    {
      detached: true, // leads a process group, which is killed as a whole
      env: { ...process.env, TMPDIR: folder },
      stdio: ['ignore', process.stderr, 'inherit', 'ipc'],
    },
  );
  try {
    const figures = await figuresOf(child, path, options);
    return { figures, seconds: Math.round((performance.now() - began) / 1_000) };
  } finally {
    killGroup(child);
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }); // while its servers are ending
  }
}

async function figuresOf(child: ChildProcess, path: string, options: StartOptions): Promise<readonly Figure[]> {
  const name = basename(path, '.ts');
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const failure = Promise.withResolvers<never>();
  const stop = () => failure.reject(new Error(`${name} was stopped`));
  options.signal.addEventListener('abort', stop, { once: true });
  let figures: readonly Figure[] | null = null;
  let timer: NodeJS.Timeout | undefined;
  child.on('message', (message: SuiteMessage) => {
    if ('figures' in message) {
      figures = message.figures;
      return;
    }
    const limit = options.limitSeconds ?? message.limitSeconds ?? DEFAULT_LIMIT_SECONDS;
    const late = () =>
      failure.reject(new Error(`${name} was stopped at its limit of ${limit} s; --limit sets another`));
    timer = setTimeout(late, limit * 1_000);
    options.onStarted(message.about);
  });
  try {
    const [code, signal] = await Promise.race([exit, failure.promise]);
    if (figures === null || code !== 0) throw new Error(`${name} ended with ${code ?? signal}, see above`);
    return figures;
  } finally {
    clearTimeout(timer);
    options.signal.removeEventListener('abort', stop);
  }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // the whole group has ended
  }
}
