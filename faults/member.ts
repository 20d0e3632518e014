import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

export type Role = 'api' | 'worker' | 'scheduler';

/** What a process is told to let happen to itself; see inside/points.ts. */
export interface Order {
  readonly act: 'kill' | 'freeze' | 'clock' | 'spare';
  readonly point: string | null;
  readonly seconds: number;
  readonly gather?: number;
}

/** What a process tells of itself: that it passes a point, or uses what is broken on purpose. */
interface Word {
  readonly passed?: string;
  /** What it holds there, where that are looks. */
  readonly names?: readonly string[];
  readonly used?: true;
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
const SPARE: Order = { act: 'spare', point: null, seconds: 0 };
/** As a supervisor does: not at once, for what killed it may still be there. */
const RESTART_AFTER = 250;

/** One process of the service, started again whenever it ends. */
export class Member {
  private child: ChildProcess | null = null;
  private ended = false;
  private ready = Promise.withResolvers<void>();
  private readonly passing = new Map<string, (names: readonly string[]) => void>();
  private awakeAt = 0;
  /** `http://127.0.0.1:41234`; null while it is not up. */
  address: string | null = null;
  starts = 0;
  /** Whether any of its processes used what is broken on purpose. */
  usedBrokenPart = false;

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
    child.on('message', (word: Word) => this.hear(word));
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

  /** It stops here and now. */
  freeze(seconds: number): void {
    this.order({ act: 'freeze', point: null, seconds });
    this.sleeps(seconds);
  }

  /** It stops when it passes the point. @returns the names whose looks it holds there; null: it was spared, for it did not in time */
  async freezeAt(point: string, seconds: number, patience: number, gather?: number): Promise<readonly string[] | null> {
    const { promise: passed, resolve } = Promise.withResolvers<readonly string[]>();
    this.passing.set(point, resolve);
    this.order({ act: 'freeze', point, seconds, ...(gather === undefined ? {} : { gather }) });
    const names = await Promise.race([passed, pause(patience, null)]);
    this.passing.delete(point);
    if (names) this.sleeps(seconds);
    else this.order(SPARE);
    return names;
  }

  /** It dies when it passes the point. @returns whether it did in time; else it is spared */
  async killAt(point: string, patience: number): Promise<boolean> {
    this.order({ act: 'kill', point, seconds: 0 });
    const died = await this.death(patience);
    if (!died) this.order(SPARE);
    return died;
  }

  /** Before its time. */
  wake(): void {
    this.child?.kill('SIGCONT');
    this.awakeAt = 0;
  }

  get isAsleep(): boolean {
    return Date.now() < this.awakeAt;
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

  private hear({ passed, names = [], used }: Word): void {
    if (passed !== undefined) this.passing.get(passed)?.(names);
    if (used) this.usedBrokenPart = true;
  }

  private sleeps(seconds: number): void {
    this.awakeAt = Date.now() + seconds * 1_000;
  }

  private isUp(address: string): void {
    this.address = address;
    this.ready.resolve();
  }

  private isGone(): void {
    this.child = null;
    this.address = null;
    this.awakeAt = 0;
    this.ready = Promise.withResolvers<void>();
    if (!this.ended) setTimeout(() => this.start(), RESTART_AFTER);
  }
}
