import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { CannotStart } from './cannot-start.js';
import { type Cluster, findCluster, makeCluster } from './cluster.js';
import { freePort } from './free-port.js';
import { DATABASE, initialise, POSTGRES_ENVIRONMENT } from './initialise-cluster.js';
import { postgresBinaries } from './postgres-binaries.js';
import { awaitNoPostmaster } from './postmaster.js';

export interface EmbeddedPostgres {
  readonly url: string;
  /** Resolves with its last words when the server ends without being asked. */
  readonly ended: Promise<string>;
  /** Cuts off what is still connected, writes everything to disk and ends. */
  readonly stop: () => Promise<void>;
}

interface EmbeddedOptions {
  /** The path under which the cluster is found again, such as DATA_DIR/pg. */
  readonly cluster: string;
  readonly password: string;
  /** Nothing is forced to disk: for databases that a test throws away. */
  readonly fast?: boolean;
}

/**
 * Starts PostgreSQL on the cluster, which is made when there is none, on a free port of 127.0.0.1. It ends with this
 * process, however that ends. The caller holds the lock of the data directory.
 * @throws CannotStart saying in one sentence what is in the way.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { password, fast = false } = options;
  const binaries = postgresBinaries();
  const cluster =
    findCluster(options.cluster) ??
    (await makeCluster(options.cluster, (draft) => initialise(draft, { binaries, password, fast })));
  await awaitNoPostmaster(cluster.path);
  const { server, port } = await serve(binaries.postgres, cluster, fast);
  return { url: databaseUrl(password, port), ended: server.ended, stop: () => server.stop() };
}

export function databaseUrl(password: string, port: number): string {
  return `postgres://${DATABASE}:${password}@127.0.0.1:${port}/${DATABASE}`;
}

const PORTS_TRIED = 5;

async function serve(program: string, cluster: Cluster, fast: boolean): Promise<{ server: Server; port: number }> {
  for (let tried = 1; ; tried++) {
    const port = await freePort();
    const server = new Server(program, cluster, [...settings(cluster.path, port), ...(fast ? UNSAFE : [])]);
    const failure = await server.started;
    if (failure === null) return { server, port };
    if (tried === PORTS_TRIED || !failure.includes('Address already in use'))
      throw new CannotStart(`PostgreSQL did not start on ${cluster.path}: ${failure}`);
  }
}

function settings(path: string, port: number): string[] {
  const loopbackOnly = ['listen_addresses=127.0.0.1', 'unix_socket_directories='];
  return ['-D', path, '-p', String(port), ...set(...loopbackOnly, 'max_connections=200')];
}

const UNSAFE = set('fsync=off', 'synchronous_commit=off', 'full_page_writes=off');

function set(...settings: string[]): string[] {
  return settings.flatMap((setting) => ['-c', setting]);
}

/**
 * The shell holds the reading end of a pipe whose writing end only this process has. When that closes, by `stop` or
 * because the process died (even by kill -9), PostgreSQL gets SIGINT, its fast shutdown. In a group of its own, so
 * that Ctrl-C at the terminal reaches the service alone, which drains before it closes the pipe.
 */
const UNTIL_THE_PIPE_CLOSES = `
  trap '' HUP INT TERM
  exec 3<&0
  "$@" 3<&- </dev/null &
  postgres=$!
  (read -r _ <&3; kill -INT $postgres 2>/dev/null) &
  watch=$!
  wait $postgres
  status=$?
  kill -KILL $watch
  exit $status`;

const LAST_WORDS = 2_000;

class Server {
  private readonly shell: ChildProcess;
  private readonly gone: Promise<unknown>;
  private words = '';
  private asked = false;
  /** Resolves with null when it accepts connections, or with why it does not. */
  readonly started: Promise<string | null>;
  readonly ended: Promise<string>;

  constructor(program: string, { user }: Cluster, args: string[]) {
    this.shell = spawn('/bin/sh', ['-c', UNTIL_THE_PIPE_CLOSES, 'postgres-shell', program, ...args], {
      ...user,
      cwd: '/',
      env: POSTGRES_ENVIRONMENT,
      detached: true,
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    this.gone = once(this.shell, 'exit');
    const accepting = new Promise<null>((resolve) => this.listen(() => resolve(null)));
    this.started = Promise.race([accepting, this.gone.then(() => this.words.trim())]).finally(() => this.letGo());
    this.ended = this.gone.then(() => (this.asked ? new Promise<never>(() => undefined) : this.words.trim()));
  }

  async stop(): Promise<void> {
    this.asked = true;
    this.shell.ref();
    this.shell.stdin?.end();
    await this.gone;
  }

  private listen(accepting: () => void): void {
    this.shell.stderr?.on('data', (chunk: Buffer) => {
      this.words = (this.words + chunk.toString()).slice(-LAST_WORDS);
      if (this.words.includes('ready to accept connections')) accepting();
    });
  }

  /** A running server does not keep a process alive that has nothing left to do. */
  private letGo(): void {
    this.shell.unref();
    for (const end of [this.shell.stdin, this.shell.stderr]) (end as { unref?(): void } | null)?.unref?.();
  }
}
