import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { atEnd, temporaryFolder } from './cleanup.js';

/** The same in every run: a database that is kept from run to run has secrets sealed with this key. */
export const MASTER_KEY = Buffer.alloc(32, 'bench').toString('base64');
export const LAUNCHER = join(import.meta.dirname, '../../bin/namewatch.mjs');
const TYPESCRIPT = ['--import', './tools/scripts/typescript.mjs'];

type Environment = Readonly<Record<string, string>>;
type Exit = Promise<[number | null, NodeJS.Signals | null]>;

/** Settings of a service on any free port, which asks nobody beyond this machine. */
export function quietSettings(databaseUrl: string) {
  return {
    DATABASE_URL: databaseUrl,
    MASTER_KEY,
    DATA_DIR: temporaryFolder(),
    PORT: '0',
    RDAP_BOOTSTRAP_URL: 'off',
    DNS_SERVERS: 'off',
    LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8',
    LOG_LEVEL: 'warn',
  };
}

export interface Child {
  /** The text behind `ready at` in its output. */
  readonly address: string;
  readonly pid: number;
  /** Ends it before the end of the suite. */
  close(): Promise<void>;
}

/** @param onLine gets each line that it prints */
export function startService(settings: Environment, onLine?: (line: string) => void): Promise<Child> {
  return startChild([LAUNCHER, 'up'], settings, onLine);
}

/** @param path of a TypeScript file from this folder, which prints `ready at http…` */
export function startScript(path: string, env: Environment = {}): Promise<Child> {
  return startChild([...TYPESCRIPT, join(import.meta.dirname, path)], env);
}

/**
 * Starts a Node process and waits until it says where it is ready. Should it end before it is closed, the bench ends
 * with an error: a suite would wait for it for ever.
 */
async function startChild(
  args: readonly string[],
  env: Environment,
  onLine: (line: string) => void = () => undefined,
): Promise<Child> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit') as Exit;
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
    atEnd(close);
    return { address, pid: child.pid ?? NaN, close };
  }
  const [code, signal] = address;
  throw new Error(`${args.join(' ')} ended with ${code ?? signal} before it was ready, see above`);
}

/** A script in a process of its own that answers each order with one message. */
export interface CommandChild<Order, Answer> {
  /** @throws when the process ends before it answers */
  run(order: Order): Promise<Answer>;
}

/**
 * Forks a TypeScript file that calls {@link answerOrders}.
 * @param path of the file from this folder
 * @throws when the process ends before it is ready: what it wrote to its standard error says why
 */
export async function startCommandChild<Order extends object, Answer>(
  path: string,
  env: Environment,
): Promise<CommandChild<Order, Answer>> {
  const child = fork(join(import.meta.dirname, path), {
    execArgv: TYPESCRIPT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exit = once(child, 'exit') as Exit;
  const failure = exit.then(([code, signal]): never => {
    throw new Error(`${basename(path)} ended with ${code ?? signal} before it answered, see above`);
  });
  failure.catch(() => undefined); // it ends with the suite, when no answer is awaited
  const answer = async () => {
    const [message] = (await Promise.race([once(child, 'message'), failure])) as [Answer];
    return message;
  };
  await answer();
  atEnd(async () => {
    if (child.connected) child.disconnect();
    await exit;
  });
  return {
    run: (order) => {
      child.send(order);
      return answer();
    },
  };
}

/** Runs in the forked file: says that it is ready, answers each order, and ends when it is disconnected. */
export function answerOrders<Order>(
  run: (order: Order) => Promise<number | object>,
  close: () => Promise<unknown> = () => Promise.resolve(),
): void {
  process.on('message', (order: Order) => void run(order).then((answer) => process.send?.(answer)));
  process.once('disconnect', () => void close().then(() => process.exit()));
  process.send?.('ready');
}
