import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

export const ROOT = join(import.meta.dirname, '../../..');

type Settings = Readonly<Record<string, string>>;

/** Nothing of the machine but what programs are found by. */
function environment(settings: Settings): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH: `${join(ROOT, 'node_modules/.bin')}:${PATH}`, HOME, ...settings };
}

/** Where a machine has no such program. A refusal by the service fails the command, as a typing error does. */
const PRELUDE = `set -euo pipefail
curl() { command curl --fail-with-body "$@"; }
command -v openssl >/dev/null || openssl() { node -p 'crypto.randomBytes(32).toString("base64")'; }
`;

/** Pastes the lines into a shell, in the project's folder. @returns what they print. @throws when one of them fails. */
export async function runInShell(lines: string, settings: Settings = {}): Promise<string> {
  const options = { cwd: ROOT, env: environment(settings), timeout: 150_000 };
  return (await promisify(execFile)('bash', ['-c', PRELUDE + lines], options)).stdout;
}

/** A service that was started by a command of the documents. */
export class StartedCommand {
  private constructor(
    readonly lines: readonly string[],
    private readonly child: ChildProcess,
  ) {}

  /** Resolves once it has printed a line like this. @param command one command, which takes the shell's place */
  static async by(command: string, settings: Settings, untilLine: RegExp): Promise<StartedCommand> {
    const child = spawn('bash', ['-c', `exec ${command}`], {
      ...{ cwd: ROOT, env: environment(settings) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      if (!untilLine.test(line)) continue;
      child.stdout.resume();
      return new StartedCommand(lines, child);
    }
    throw new Error(`${command} ended: ${lines.join('\n')}`);
  }

  get address(): string {
    const ready = this.lines.find((line) => line.startsWith('Namewatch ready at '));
    return ready?.replace('Namewatch ready at ', '') ?? '';
  }

  /** @returns the exit code */
  async stop(): Promise<number | null> {
    if (this.child.exitCode !== null) return this.child.exitCode;
    const exit = once(this.child, 'exit') as Promise<[number | null]>;
    this.child.kill('SIGTERM');
    return (await exit)[0];
  }
}
