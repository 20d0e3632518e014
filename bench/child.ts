import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface Child {
  /** What stood behind `ready at` in its output. */
  readonly address: string;
  readonly pid: number;
  close(): Promise<void>;
}

/** Starts a Node process and waits until it says where it is ready. */
export async function startChild(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Child> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(child, 'exit');
  const close = async () => {
    child.kill('SIGTERM');
    await gone;
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const address = /ready at (http\S+)/.exec(line)?.[1];
    if (address !== undefined) {
      child.stdout.resume();
      return { address, pid: child.pid ?? NaN, close };
    }
  }
  throw new Error(`${args.join(' ')} ended before it was ready`);
}
