import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { ownEnvironment } from './own-environment.js';

export const ROOT = join(import.meta.dirname, '../../..');

type Settings = Readonly<Record<string, string>>;

/** Nothing else of the machine. */
function environment(settings: Settings): Record<string, string> {
  const own = ownEnvironment();
  return { ...own, PATH: `${join(ROOT, 'node_modules/.bin')}:${own['PATH']}`, ...settings };
}

/**
 * A refusal by the service fails the command, as a typing error does. Where a machine has no openssl, Node does its work.
 * npx reads all of node_modules, at each call, to find what package.json says: see REAL_NPX.
 */
const PRELUDE = `set -euo pipefail
npx() { local program=$1; shift; "$program" "$@"; }
namewatch() { node bin/namewatch.mjs "$@"; }
curl() { command curl --fail-with-body "$@"; }
command -v openssl >/dev/null || openssl() { node -p 'crypto.randomBytes(32).toString("base64")'; }
`;

/** Before lines that are to show that npx itself finds our program. */
export const REAL_NPX = 'unset -f npx namewatch\n';

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

  /**
   * Resolves once it has printed a line like this. @param command one command, which takes the shell's place, and runs
   * the program of the checkout without npx, which does not pass on signals
   */
  static async by(command: string, settings: Settings, untilLine: RegExp): Promise<StartedCommand> {
    const program = command.replace(/^npx namewatch /, 'node bin/namewatch.mjs ');
    const child = spawn('bash', ['-c', `exec ${program}`], {
      cwd: ROOT,
      env: environment(settings),
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
    this.child.kill('SIGINT');
    return (await exit)[0];
  }
}
