import { globSync, readFileSync } from 'node:fs';
import { type Ended, lastLines, type Program, startProgram } from '../extensions-check/commands.js';

const TIMEOUT_MS = 1_800_000;

/** The programs of a check. None outlives the check. */
export class Programs {
  private readonly running = new Set<Program>();
  private isClosed = false;

  constructor(private readonly cwd: string) {}

  /** @throws Error after `endAll` */
  assertOpen(): void {
    if (this.isClosed) throw new Error('the check was stopped');
  }

  start([command = '', ...args]: readonly string[]): Program {
    this.assertOpen();
    const program = startProgram(command, args, { cwd: this.cwd, timeoutMs: TIMEOUT_MS, detached: true });
    this.running.add(program);
    const forget = () => this.running.delete(program);
    program.ended.then(forget, forget);
    return program;
  }

  run(words: readonly string[]): Promise<Ended> {
    return this.start(words).ended;
  }

  /** @throws Error with the last lines of the output if the exit code is not 0 */
  async must(words: readonly string[]): Promise<string> {
    const { code, output } = await this.run(words);
    if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}:\n${lastLines(output)}`);
    return output;
  }

  /** Kills what still runs. Nothing can start after that. */
  async endAll(): Promise<void> {
    this.isClosed = true;
    const left = [...this.running];
    for (const { child } of left) for (const pid of family(child.pid).reverse()) signal(pid, 'SIGKILL');
    await Promise.allSettled(left.map(({ ended }) => ended));
  }
}

/** Returns a process and its descendants, oldest first. In buildah's containers the last is the image's program. */
export function family(pid: number | undefined): number[] {
  if (pid === undefined) return [];
  const children = globSync(`/proc/${pid}/task/*/children`).flatMap((file) => textOf(file).trim().split(' '));
  return [pid, ...children.filter((child) => child !== '').flatMap((child) => family(Number(child)))];
}

export function signal(pid: number | undefined, name: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(pid, name);
  } catch {
    // the process has just ended
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // the process has just ended
  }
}
