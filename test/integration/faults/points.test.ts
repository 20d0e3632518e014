import { describe, expect, it } from '@jest/globals';
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runInShell, ROOT } from '../../support/programs/shell.js';

const faults = join(ROOT, 'faults');
const points = join(faults, 'inside/points.ts');
const broken = readdirSync(join(faults, 'broken')).map((file) => join(faults, 'broken', file));

/** A process of the service that records a look twice within a moment, without anything to record it in. */
const RECORD_TWICE = `
  import { setTimeout as pause } from 'node:timers/promises';
  const { RecordCheckResults } = await import('${new URL(`file://${join(ROOT, 'dist/watchlist/application/checks/record-check-results.js')}`).href}');
  const recorded = (domain) => RecordCheckResults.prototype.run.call({}, [{ held: { watched: { domain } } }], 'token');
  setInterval(() => undefined, 1_000); // to wait for a word keeps no process alive
  const told = new Promise((resolve) => process.once('message', resolve));
  process.send('ready');
  await told;
  const both = await Promise.allSettled([recorded('one.example'), pause(50).then(() => recorded('two.example'))]);
  process.send(both.every(({ status }) => status === 'rejected') ? 'both went on' : 'somebody stayed', () => process.exit());
`;

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
    await runInShell('node bin/build.mjs');
    expect(broken.length).toBeGreaterThanOrEqual(2);
    expect(await load([points, ...broken])).toEqual([0, '']);
  }, 60_000);

  it('keep whoever comes, and tell which looks they hold when all of them are hit', async () => {
    await runInShell('node bin/build.mjs');
    const child = spawn(
      process.execPath,
      ['--no-warnings', '--import', points, '--input-type=module', '-e', RECORD_TWICE],
      {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      },
    );
    const heard: unknown[] = [];
    child.on('message', (word) => {
      if (word === 'ready') child.send({ act: 'spare', point: 'check.recording', seconds: 0, gather: 1_500 });
      else heard.push(word);
    });
    await once(child, 'exit');
    expect(heard).toEqual([{ passed: 'check.recording', names: ['one.example', 'two.example'] }, 'both went on']);
  }, 60_000);
});
