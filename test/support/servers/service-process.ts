import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ownEnvironment } from '../programs/own-environment.js';
import { unlimitedPlans } from '../builders/plans-file.js';

const launcher = join(import.meta.dirname, '../../../bin/namewatch.mjs');

export interface ServiceProcess {
  /** `http://127.0.0.1:41234` */
  readonly address: string;
  readonly pid: number;
  readonly kill: (signal: NodeJS.Signals) => Promise<number | null>;
  /** Resolves with its exit code when it ends for any reason; null when that was a signal. */
  readonly ended: Promise<number | null>;
}

/**
 * Starts the service as people do, in a process and a data directory of its own; resolves when it is ready.
 * @param onLine gets every line of its output, including its logs
 * @param args for `namewatch up`
 * @param program the launcher of another version than this one
 */
export async function startServiceProcess(
  settings: Readonly<Record<string, string>>,
  onLine: (line: string) => void = () => undefined,
  args: readonly string[] = [],
  program = launcher,
): Promise<ServiceProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'namewatch-process-'));
  const env = {
    ...ownEnvironment(),
    PORT: '0',
    DATA_DIR: folder,
    LOG_LEVEL: 'error',
    PLANS_FILE: unlimitedPlans(),
    ...settings,
  };
  const child = spawn(process.execPath, [program, 'up', ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const ended = exited.then(([code]) => {
    rmSync(folder, { recursive: true, force: true });
    return code;
  });
  const kill = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended;
  };
  const lines = createInterface({ input: child.stdout });
  const ready = new Promise<string>((resolve) => {
    lines.on('line', (line) => {
      onLine(line);
      const address = /^Namewatch ready at (http\S+)/.exec(line)?.[1];
      if (address !== undefined) resolve(address);
    });
  });
  const address = await Promise.race([ready, exited]);
  if (typeof address !== 'string') throw new Error(`the process ended with ${String(address[0])} before it was ready`);
  return { address, pid: child.pid ?? NaN, kill, ended };
}
