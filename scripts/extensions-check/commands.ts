import { spawn } from 'node:child_process';

export interface Ended {
  readonly code: number | null;
  /** Of both streams. */
  readonly output: string;
}

const TIMEOUT_MS = 300_000;
/** Without npm's variables, which the next npm would take for its settings. */
const ENVIRONMENT = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_|^INIT_CWD$/i.test(name)));

/** Runs a program to its end, in a process of its own. */
export function runProgram(command: string, args: readonly string[], cwd: string): Promise<Ended> {
  const child = spawn(command, args, {
    cwd,
    env: ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}

/** @throws Error with the last lines of the output, unless it ends with 0 */
export async function mustRun(command: string, args: readonly string[], cwd: string): Promise<string> {
  const { code, output } = await runProgram(command, args, cwd);
  if (code !== 0) throw new Error(`${[command, ...args].join(' ')} ended with ${code}:\n${lastLines(output)}`);
  return output;
}

export function lastLines(text: string, count = 40): string {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}
