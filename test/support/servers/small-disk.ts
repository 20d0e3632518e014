import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, mkdtempSync, openSync, realpathSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorMessage } from '../../../src/process/startup-error.js';

const BLOCK = Buffer.alloc(64 * 1_024);

/** A file system of a few megabytes, in memory, which a test can fill. */
export class SmallDisk {
  private constructor(
    /** Where it is mounted. */
    readonly path: string,
  ) {}

  /** Returns null, and says so, where the test may not mount one: only root may. With REQUIRE_MOUNT that is an error. */
  static mount(megabytes: number): SmallDisk | null {
    const path = mkdtempSync(join(tmpdir(), 'namewatch-disk-'));
    try {
      const options = ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs'];
      execFileSync('mount', [...options, path], { stdio: 'pipe' });
    } catch (error) {
      rmSync(path, { recursive: true });
      if (process.env['REQUIRE_MOUNT']) throw error;
      console.warn(`skipped: this test may not mount a disk to fill: ${errorMessage(error)}`);
      return null;
    }
    chmodSync(path, 0o711); // PostgreSQL's user walks through it
    return new SmallDisk(path);
  }

  /** Takes all space that is left, with a file. */
  fill(): void {
    const file = openSync(this.ballast, 'a');
    try {
      for (;;) writeSync(file, BLOCK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(file);
    }
  }

  makeSpace(): void {
    rmSync(this.ballast, { force: true });
  }

  /** One folder of the disk takes no writes until `end`; files that are open for writing still do. */
  makeReadOnly(folder: string): { readonly end: () => void } {
    const path = realpathSync(join(this.path, folder));
    execFileSync('mount', ['--bind', path, path], { stdio: 'pipe' });
    execFileSync('mount', ['-o', 'remount,ro,bind', path], { stdio: 'pipe' });
    return { end: () => execFileSync('umount', [path], { stdio: 'pipe' }) };
  }

  unmount(): void {
    execFileSync('umount', ['-l', this.path], { stdio: 'pipe' });
    rmSync(this.path, { recursive: true });
  }

  private get ballast(): string {
    return join(this.path, 'ballast');
  }
}
