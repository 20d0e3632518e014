import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { reasonOf } from '../startup-error.js';
import type { Cluster } from './cluster.js';
import { POSTGRES_ENVIRONMENT } from './single-user-mode.js';

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

/** One run of PostgreSQL on a cluster. */
export class PostgresServer {
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
    this.gone = once(this.shell, 'exit').catch((error: unknown) => (this.words += reasonOf(error)));
    const accepting = new Promise<null>((resolve) => this.listen(() => resolve(null)));
    this.started = Promise.race([accepting, this.gone.then(() => this.lastWords())]).finally(() => this.letGo());
    this.ended = this.gone.then(() => (this.asked ? new Promise<never>(() => undefined) : this.lastWords()));
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

  /** What it complained of; when it complained of nothing, the end of its log. */
  private lastWords(): string {
    const lines = this.words.trim().split('\n');
    const complaints = lines.filter((line) => !line.startsWith('LOG:'));
    return (complaints.length > 0 ? complaints : lines).slice(-4).join(' ');
  }

  /** A running server does not keep a process alive that has nothing left to do. */
  private letGo(): void {
    this.shell.unref();
    for (const end of [this.shell.stdin, this.shell.stderr]) (end as { unref?(): void } | null)?.unref?.();
  }
}
