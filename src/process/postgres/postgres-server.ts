import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { errorMessage } from '../startup-error.js';
import type { Cluster } from './cluster.js';
import { POSTGRES_ENVIRONMENT } from './initialise-cluster.js';

/**
 * A shell script that stops PostgreSQL (SIGINT: fast shutdown) when its stdin closes, even after kill -9 of this
 * process.
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

/** Each entry is a problem with the disk, and the messages of PostgreSQL that reveal the problem. */
export const DISK_TROUBLES = {
  'its disk is full': /^(PANIC|FATAL):.*(No space left on device|Disk quota exceeded)/,
  'its disk is read-only': /^(PANIC|FATAL):.*Read-only file system/,
};
const MAX_OUTPUT_CHARACTERS = 2_000;
/** Log lines about clients that were refused. Such lines never explain why the server ended. */
const REFUSED_CLIENTS = /^FATAL: {2}the database system is .*\n/gm;

export class PostgresServer {
  private readonly shell: ChildProcess;
  private readonly exited: Promise<unknown>;
  private output = '';
  private killedBy: string | null = null;
  private isStopping = false;
  /**
   * Resolves with null when the server accepts connections. Resolves with the reason if the server ends before that.
   */
  readonly started: Promise<string | null>;
  readonly exitedUnexpectedly: Promise<string>;

  constructor(program: string, { path, user }: Cluster, args: string[]) {
    this.shell = spawn('/bin/sh', ['-c', UNTIL_THE_PIPE_CLOSES, 'postgres-shell', program, ...args], {
      ...user,
      cwd: path,
      env: POSTGRES_ENVIRONMENT,
      // A process group of its own, so that Ctrl-C stops the service before PostgreSQL.
      detached: true,
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    this.exited = once(this.shell, 'exit').then(
      ([code]: unknown[]) => (this.killedBy = signalOf(code)),
      (error: unknown) => (this.output += errorMessage(error)),
    );
    const accepting = new Promise<null>((resolve) => this.collectOutput(() => resolve(null)));
    this.started = Promise.race([accepting, this.exited.then(() => this.lastErrors())]).finally(() => this.unref());
    this.exitedUnexpectedly = this.exited.then(() =>
      this.isStopping ? new Promise<never>(() => undefined) : this.lastErrors(),
    );
  }

  /** Stops PostgreSQL. @returns whether PostgreSQL wrote everything to disk */
  async stop(): Promise<boolean> {
    this.isStopping = true;
    this.shell.ref();
    this.shell.stdin?.end();
    await this.exited;
    return this.shell.exitCode === 0;
  }

  private collectOutput(onReady: () => void): void {
    this.shell.stderr?.on('data', (chunk: Buffer) => {
      this.output = (this.output + chunk.toString()).replace(REFUSED_CLIENTS, '').slice(-MAX_OUTPUT_CHARACTERS);
      if (this.output.includes('ready to accept connections')) onReady();
    });
  }

  /** Explains why the server ended, by the signal that killed it, its error messages, or the end of its log. */
  private lastErrors(): string {
    if (this.killedBy !== null) return `it was killed by ${this.killedBy}`;
    const lines = this.output.trim().split('\n');
    for (const [trouble, complaint] of Object.entries(DISK_TROUBLES)) {
      const line = lines.findLast((one) => complaint.test(one));
      if (line !== undefined) return `${trouble}: ${line}`;
    }
    const complaints = lines.filter((line) => !line.startsWith('LOG:'));
    return (complaints.length > 0 ? complaints : lines).slice(-4).join(' ') || 'it said nothing';
  }

  /** Lets this process end when it has no other work, although PostgreSQL still runs. */
  private unref(): void {
    this.shell.unref();
    for (const end of [this.shell.stdin, this.shell.stderr]) (end as { unref?(): void } | null)?.unref?.();
  }
}

/** A shell reports a program that was killed by a signal as exit code 128 plus the signal's number. */
function signalOf(code: unknown): string | null {
  const [name = null] = Object.entries(constants.signals).find(([, number]) => number + 128 === code) ?? [];
  return name;
}
