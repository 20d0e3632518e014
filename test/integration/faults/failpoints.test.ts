import { describe, expect, it } from '@jest/globals';
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runInShell, ROOT } from '../../support/programs/shell.js';

const faults = join(ROOT, 'test/faults');
const failpoints = join(faults, 'preload/failpoints.ts');
const mutants = readdirSync(join(faults, 'mutants')).map((file) => join(faults, 'mutants', file));

/** A service process that records two results within a moment, without a database. */
const RECORD_TWICE = `
  import { setTimeout as pause } from 'node:timers/promises';
  const { RecordCheckResults } = await import('${new URL(`file://${join(ROOT, 'dist/watchlist/checks/record-check-results.js')}`).href}');
  const recorded = (domain) => RecordCheckResults.prototype.run.call({}, [{ leased: { watchedName: { domain } } }], 'token');
  setInterval(() => undefined, 1_000); // a message listener keeps no process alive
  const started = new Promise((resolve) => process.once('message', resolve));
  process.send('ready');
  await started;
  const both = await Promise.allSettled([recorded('one.example'), pause(50).then(() => recorded('two.example'))]);
  process.send(both.every(({ status }) => status === 'rejected') ? 'both went on' : 'one was held', () => process.exit());
`;

/** Loads the preloads of the harness without starting the service. @returns the exit code and stderr */
async function load(files: readonly string[]): Promise<[number | null, string]> {
  const execArgv = ['--no-warnings', ...files.flatMap((file) => ['--import', file])];
  const child = fork(join(ROOT, 'bin/build.mjs'), { execArgv, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, 'exit')) as [number | null];
  return [code, stderr];
}

describe('failpoints', () => {
  it('and mutants load: the methods they wrap exist', async () => {
    await runInShell('node bin/build.mjs');
    expect(mutants.length).toBeGreaterThanOrEqual(2);
    expect(await load([failpoints, ...mutants])).toEqual([0, '']);
  }, 60_000);

  it('gather calls and report the domains they hold when they are hit', async () => {
    await runInShell('node bin/build.mjs');
    const child = spawn(
      process.execPath,
      ['--no-warnings', '--import', failpoints, '--input-type=module', '-e', RECORD_TWICE],
      {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      },
    );
    const messages: unknown[] = [];
    child.on('message', (message) => {
      if (message === 'ready') child.send({ act: 'spare', point: 'check.recording', seconds: 0, gather: 1_500 });
      else messages.push(message);
    });
    await once(child, 'exit');
    expect(messages).toEqual([{ passed: 'check.recording', names: ['one.example', 'two.example'] }, 'both went on']);
  }, 60_000);
});
