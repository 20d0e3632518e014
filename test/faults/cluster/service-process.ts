import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

export type Role = 'api' | 'worker' | 'scheduler';

/** A command to the failpoints of a process; see preload/failpoints.ts. */
export interface FailpointCommand {
  readonly act: 'kill' | 'freeze' | 'clock' | 'spare';
  readonly point: string | null;
  readonly seconds: number;
  readonly gather?: number;
}

/** Sent by a process when it reaches a failpoint or uses a mutant. */
interface FailpointMessage {
  readonly passed?: string;
  /** The names whose results it holds there. */
  readonly names?: readonly string[];
  readonly used?: true;
}

/** Common to all processes of the run. */
export interface ProcessOptions {
  readonly settings: Readonly<Record<string, string>>;
  readonly folder: string;
  /** Files loaded before the service. */
  readonly preloads: readonly string[];
  /** A built checkout of another version: each restart is an upgrade, or goes back. */
  readonly otherVersion?: string | undefined;
}

const CURRENT_VERSION = join(import.meta.dirname, '../../..');
const DISARM: FailpointCommand = { act: 'spare', point: null, seconds: 0 };
/** How long it waits before it restarts one, as a supervisor does. */
const RESTART_DELAY_MS = 250;

/** One service process, restarted whenever it ends. */
export class ServiceProcess {
  private child: ChildProcess | null = null;
  private isStopped = false;
  private ready = Promise.withResolvers<void>();
  private readonly awaitedPoints = new Map<string, (names: readonly string[]) => void>();
  private frozenUntil = 0;
  /** `http://127.0.0.1:41234`; null while it is not up. */
  address: string | null = null;
  starts = 0;
  /** Whether the mutated code ran in one of its processes. */
  usedMutant = false;

  constructor(
    readonly name: string,
    readonly role: Role,
    private readonly options: ProcessOptions,
  ) {}

  start(): void {
    if (this.isStopped) return;
    this.starts += 1;
    const { settings, folder, preloads, otherVersion = CURRENT_VERSION } = this.options;
    const version = this.starts % 2 === 1 ? CURRENT_VERSION : otherVersion;
    const program = join(version, 'dist/main.js');
    const failpoints = join(version, 'test/faults/preload/failpoints.ts');
    const dataDir = join(folder, this.name);
    mkdirSync(dataDir, { recursive: true });
    const env = { ...settings, ROLE: this.role, DATA_DIR: dataDir, PORT: '0' };
    const imports = [failpoints, ...preloads].flatMap((file) => ['--import', file]);
    const child = spawn(process.execPath, ['--no-warnings', ...imports, program, 'up'], {
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.child = child;
    child.on('error', () => undefined); // a command that came too late; the exit is handled below
    child.on('message', (word: FailpointMessage) => this.onMessage(word));
    this.listenTo(child);
    child.once('exit', () => this.onExit());
  }

  /** Resolves when the process is ready, also after a restart. */
  async whenReady(): Promise<void> {
    await this.ready.promise;
  }

  /** null while it is not running. */
  get pid(): number | null {
    return this.child?.pid ?? null;
  }

  kill(): void {
    this.child?.kill('SIGKILL');
  }

  send(send: FailpointCommand): void {
    if (this.child?.connected) this.child.send(send, () => undefined);
  }

  /** Freezes it at once. */
  freeze(seconds: number): void {
    this.send({ act: 'freeze', point: null, seconds });
    this.markFrozen(seconds);
  }

  /**
   * Freezes it when it reaches the point.
   * @returns the names whose results it holds there; null: it did not reach the point in time
   */
  async freezeAt(
    point: string,
    seconds: number,
    timeoutMs: number,
    gather?: number,
  ): Promise<readonly string[] | null> {
    const { promise: passed, resolve } = Promise.withResolvers<readonly string[]>();
    this.awaitedPoints.set(point, resolve);
    this.send({ act: 'freeze', point, seconds, ...(gather === undefined ? {} : { gather }) });
    const names = await Promise.race([passed, pause(timeoutMs, null)]);
    this.awaitedPoints.delete(point);
    if (names) this.markFrozen(seconds);
    else this.send(DISARM);
    return names;
  }

  /** Kills it when it reaches the point. @returns false: it did not in time, and the point is disarmed */
  async killAt(point: string, timeoutMs: number): Promise<boolean> {
    this.send({ act: 'kill', point, seconds: 0 });
    const died = await this.waitForExit(timeoutMs);
    if (!died) this.send(DISARM);
    return died;
  }

  /** Ends a freeze early. */
  resume(): void {
    this.child?.kill('SIGCONT');
    this.frozenUntil = 0;
  }

  get isFrozen(): boolean {
    return Date.now() < this.frozenUntil;
  }

  /** @returns false after the timeout */
  async waitForExit(timeoutMs: number): Promise<boolean> {
    if (!this.child) return true;
    const late = AbortSignal.timeout(timeoutMs);
    return once(this.child, 'exit', { signal: late }).then(
      () => true,
      () => false,
    );
  }

  /** Kills it for good. */
  async stop(): Promise<void> {
    this.isStopped = true;
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  private listenTo({ stdout, stderr }: ChildProcess): void {
    const log = createWriteStream(join(this.options.folder, `${this.name}.log`), { flags: 'a' });
    for (const stream of [stdout, stderr])
      if (stream)
        createInterface({ input: stream }).on('line', (line) => {
          log.write(`${line}\n`);
          const address = /^Namewatch ready at (http\S+)/.exec(line)?.[1];
          if (address !== undefined) this.onReady(address);
        });
  }

  private onMessage({ passed, names = [], used }: FailpointMessage): void {
    if (passed !== undefined) this.awaitedPoints.get(passed)?.(names);
    if (used) this.usedMutant = true;
  }

  private markFrozen(seconds: number): void {
    this.frozenUntil = Date.now() + seconds * 1_000;
  }

  private onReady(address: string): void {
    this.address = address;
    this.ready.resolve();
  }

  private onExit(): void {
    const wasReady = this.address !== null;
    this.child = null;
    this.address = null;
    this.frozenUntil = 0;
    if (wasReady) this.ready = Promise.withResolvers<void>(); // else the same promise waits for the next start
    if (!this.isStopped) setTimeout(() => this.start(), RESTART_DELAY_MS);
  }
}
