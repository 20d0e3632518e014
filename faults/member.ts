import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export type Role = 'api' | 'worker' | 'scheduler';

/** What a process is told to let happen to itself; see inside/points.ts. */
export interface Order {
  readonly act: 'kill' | 'freeze' | 'clock' | 'spare';
  readonly point: string | null;
  readonly seconds: number;
}

/** What every process of the run starts from. */
export interface Outfit {
  readonly settings: Readonly<Record<string, string>>;
  readonly folder: string;
  /** Files that are loaded before the service. */
  readonly preloads: readonly string[];
}

const program = join(import.meta.dirname, '../dist/main.js');
const points = join(import.meta.dirname, 'inside/points.ts');
/** As a supervisor does: not at once, for what killed it may still be there. */
const RESTART_AFTER = 250;

/** One process of the service, started again whenever it ends. */
export class Member {
  private child: ChildProcess | null = null;
  private ended = false;
  private ready = Promise.withResolvers<void>();
  /** `http://127.0.0.1:41234`; null while it is not up. */
  address: string | null = null;
  starts = 0;

  constructor(
    readonly name: string,
    readonly role: Role,
    private readonly outfit: Outfit,
  ) {}

  start(): void {
    if (this.ended) return;
    this.starts += 1;
    const { settings, folder, preloads } = this.outfit;
    const dataDir = join(folder, this.name);
    mkdirSync(dataDir, { recursive: true });
    const env = { ...settings, ROLE: this.role, DATA_DIR: dataDir, PORT: '0' };
    const imports = [points, ...preloads].flatMap((file) => ['--import', file]);
    const child = spawn(process.execPath, ['--no-warnings', ...imports, program, 'up'], {
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.child = child;
    child.on('error', () => undefined); // an order that came too late; that it is gone is heard below
    this.listenTo(child);
    child.once('exit', () => this.isGone());
  }

  /** Resolves when it says that it is ready, now or after it was started again. */
  async up(): Promise<void> {
    await this.ready.promise;
  }

  /** At whatever it is doing. */
  kill(): void {
    this.child?.kill('SIGKILL');
  }

  order(order: Order): void {
    if (this.child?.connected) this.child.send(order, () => undefined);
  }

  /** Resolves when it has ended, or when the time is over. */
  async death(patience: number): Promise<boolean> {
    if (!this.child) return true;
    const late = AbortSignal.timeout(patience);
    return once(this.child, 'exit', { signal: late }).then(
      () => true,
      () => false,
    );
  }

  /** For good. */
  async end(): Promise<void> {
    this.ended = true;
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  private listenTo({ stdout, stderr }: ChildProcess): void {
    const log = createWriteStream(join(this.outfit.folder, `${this.name}.log`), { flags: 'a' });
    for (const stream of [stdout, stderr])
      if (stream)
        createInterface({ input: stream }).on('line', (line) => {
          log.write(`${line}\n`);
          const address = /^Namewatch ready at (http\S+)/.exec(line)?.[1];
          if (address !== undefined) this.isUp(address);
        });
  }

  private isUp(address: string): void {
    this.address = address;
    this.ready.resolve();
  }

  private isGone(): void {
    this.child = null;
    this.address = null;
    this.ready = Promise.withResolvers<void>();
    if (!this.ended) setTimeout(() => this.start(), RESTART_AFTER);
  }
}
