import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** The same in every run: a database that is kept from run to run has secrets sealed with this key. */
export const MASTER_KEY = Buffer.alloc(32, 'bench').toString('base64');

/** Settings of a service that asks no registry of the internet, on any free port. */
export function quietSettings(databaseUrl: string) {
  return {
    DATABASE_URL: databaseUrl,
    MASTER_KEY,
    PORT: '0',
    RDAP_BOOTSTRAP_URL: 'off',
    LOG_LEVEL: 'warn',
  };
}

export interface Child {
  /** The text behind `ready at` in its output. */
  readonly address: string;
  readonly pid: number;
  close(): Promise<void>;
}

/**
 * Starts a Node process and waits until it says where it is ready. Should it end before it is closed, the bench ends
 * with an error: a suite would wait for it for ever.
 * @param onLine gets each line that it prints from then on
 */
export async function startChild(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  onLine: (line: string) => void = () => undefined,
): Promise<Child> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const close = async () => {
    child.off('exit', endBench);
    child.kill('SIGTERM');
    await exit;
  };
  const endBench = (code: number | null, signal: NodeJS.Signals | null) => {
    console.error(`${args.join(' ')} ended with ${code ?? signal} while it was measured, see above`);
    process.exit(1);
  };
  const lines = createInterface({ input: child.stdout });
  const ready = Promise.withResolvers<string>();
  lines.on('line', (line) => {
    onLine(line);
    const address = /ready at (http\S+)/.exec(line)?.[1];
    if (address !== undefined) ready.resolve(address);
  });
  const address = await Promise.race([ready.promise, exit]);
  if (typeof address === 'string') {
    child.on('exit', endBench);
    return { address, pid: child.pid ?? NaN, close };
  }
  const [code, signal] = address;
  throw new Error(`${args.join(' ')} ended with ${code ?? signal} before it was ready, see above`);
}
