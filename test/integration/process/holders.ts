import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Purpose } from '../../../src/process/directory-lock.js';

/** Another process that holds a data directory. */
export class AnotherProcess {
  private static readonly all: AnotherProcess[] = [];

  private constructor(
    private readonly child: ChildProcess,
    readonly databaseUrl: string,
  ) {
    AnotherProcess.all.push(this);
  }

  static async holding(directory: string, purpose: Purpose, database?: 'database'): Promise<AnotherProcess> {
    const words = [directory, purpose, ...(database ? [database] : [])];
    const child = fork(join(import.meta.dirname, 'hold.ts'), words, {
      execArgv: ['--import', './tools/scripts/typescript.mjs'],
    });
    const [url] = (await once(child, 'message')) as [string];
    return new AnotherProcess(child, url);
  }

  static async endAll(): Promise<void> {
    await Promise.all(this.all.splice(0).map((process) => process.kill()));
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** Ends in good order. */
  async letGo(): Promise<void> {
    await this.ended(() => this.child.send('let go'));
  }

  /** As `kill -9`. */
  async kill(): Promise<void> {
    await this.ended(() => this.child.kill('SIGKILL'));
  }

  private async ended(by: () => void): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exit = once(this.child, 'exit');
    by();
    await exit;
  }
}
