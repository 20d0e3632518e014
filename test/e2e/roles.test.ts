import { expect } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../support/eventually.js';
import { preload } from '../support/programs/preload/preload.js';
import { rolesSuite } from './roles-suite.js';

rolesSuite('PostgreSQL', () => ({}), [
  'restart themselves with --restart when they complete none of the due work',
  async ({ startWorker, watch, checked }) => {
    const folder = mkdtempSync(join(tmpdir(), 'namewatch-standstill-'));
    const preloads = [preload('fast-watchdog'), preload('lookups-hang-once')].join(' ');
    const readiness: string[] = [];
    const onLine = (line: string) => line.startsWith('Namewatch ready') && readiness.push(line);
    // Its watchdog is fast, so a worker that others keep from the processor would be stopped once more.
    const settings = { NODE_OPTIONS: preloads, HANGS_UNLESS: join(folder, 'hung'), WORKER_NICENESS: '0' };
    const worker = await startWorker(settings, onLine, ['--restart']);
    await watch('left--expiring.test');
    await checked('left--expiring.test');
    await eventually(
      () => Promise.resolve(readiness.length),
      (starts) => starts === 2,
    ); // a worker works before it is ready
    expect(await worker.kill('SIGTERM')).toBe(0);
    rmSync(folder, { recursive: true });
  },
]);
