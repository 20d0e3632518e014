import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { runSuite } from '../../bench/suite-process.js';
import { eventually } from '../../support/eventually.js';

const folder = mkdtempSync(join(tmpdir(), 'suite-process-'));
const run = (suite: string, { rounds = 2, limitSeconds = null as number | null } = {}) =>
  runSuite(`../integration/bench/planted/${suite}.ts`, {
    plan: { rounds, seconds: 1, sizes: null, keep: folder },
    limitSeconds,
    onStarted: () => undefined,
    signal: new AbortController().signal,
  });

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('A suite of the bench', () => {
  it('returns its figures', async () => {
    const { name, figures } = await run('measures');

    expect({ name, figures }).toMatchObject({ name: 'measures', figures: [{ what: 'rounds', ours: 2 }] });
  });

  it('fails when a figure is no number', async () => {
    await expect(run('measures', { rounds: 1 })).rejects.toThrow('measures ended with 1');
  });

  it('is stopped at its limit, with its children and its temporary folder', async () => {
    await expect(run('hangs')).rejects.toThrow('hangs was stopped at its limit of 1 s; --limit sets another');

    const started = JSON.parse(readFileSync(join(folder, 'started'), 'utf8')) as { pid: number; folder: string };
    expect(existsSync(started.folder)).toBe(false);
    await eventually(
      async () => existsSync(`/proc/${started.pid}/fd/0`),
      (isRunning) => !isRunning,
    );
  });

  it('ends with an error when a server of its own dies', async () => {
    await expect(run('loses-child')).rejects.toThrow('loses-child ended with 1, see above');
  });
});
