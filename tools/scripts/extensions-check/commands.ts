import { type ChildProcess, spawn } from 'node:child_process';

export interface Ended {
  readonly code: number | null;
  /** The output of stdout and stderr. */
  readonly output: string;
}

export interface Program {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

interface ProgramOptions {
  readonly cwd: string;
  readonly timeoutMs?: number;
  /** Whether to protect it from a Ctrl-C in the terminal. */
  readonly detached?: boolean;
}

const TIMEOUT_MS = 300_000;

/** Starts a program without npm's variables, which another npm would use as its settings. */
export function startProgram(command: string, args: readonly string[], options: ProgramOptions): Program {
  const { cwd, timeoutMs = TIMEOUT_MS, detached = false } = options;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_|^INIT_CWD$/i.test(name)));
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: timeoutMs, detached });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
  return { child, ended };
}

/** Runs a program until it ends. */
export function runProgram(command: string, args: readonly string[], cwd: string): Promise<Ended> {
  return startProgram(command, args, { cwd }).ended;
}

/** @throws Error with the last lines of the output if the exit code is not 0 */
export async function mustRun(command: string, args: readonly string[], cwd: string): Promise<string> {
  const { code, output } = await runProgram(command, args, cwd);
  if (code !== 0) throw new Error(`${[command, ...args].join(' ')} ended with ${code}:\n${lastLines(output)}`);
  return output;
}

export function lastLines(text: string, count = 40): string {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}
