import { describe, expect, it } from '@jest/globals';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { paste, ROOT } from '../../support/shell.js';

const faults = join(ROOT, 'faults');
const broken = readdirSync(join(faults, 'broken')).map((file) => join(faults, 'broken', file));

/** Loads what the harness puts into processes of the service, without starting one. @returns the exit code and its words */
async function load(files: readonly string[]): Promise<[number | null, string]> {
  const execArgv = ['--no-warnings', ...files.flatMap((file) => ['--import', file])];
  const child = fork(join(ROOT, 'bin/build.mjs'), { execArgv, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let words = '';
  child.stderr?.on('data', (chunk: Buffer) => (words += chunk.toString()));
  const [code] = (await once(child, 'exit')) as [number | null];
  return [code, words];
}

describe('the fault points', () => {
  it('and the variants that are broken on purpose are where the service has them', async () => {
    await paste('node bin/build.mjs');
    expect(broken.length).toBeGreaterThanOrEqual(2);
    expect(await load([join(faults, 'inside/points.ts'), ...broken])).toEqual([0, '']);
  }, 60_000);
});
