import { expect } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { preload } from '../support/programs/preload/preload.js';
import { rolesSuite } from './roles-suite.js';

rolesSuite('PostgreSQL', () => ({}), [
  'start themselves again where they complete nothing of what is due, and nobody supervises them',
  async ({ startWorker, watch, looked }) => {
    const folder = mkdtempSync(join(tmpdir(), 'namewatch-standstill-'));
    const preloads = [preload('fast-watchdog'), preload('lookups-hang-once')].join(' ');
    const readiness: string[] = [];
    const hear = (line: string) => line.startsWith('Namewatch ready') && readiness.push(line);
    const settings = { NODE_OPTIONS: preloads, HANGS_UNLESS: join(folder, 'hung') };
    const worker = await startWorker(settings, hear, ['--restart']);
    await watch('left--expiring.test');
    await looked('left--expiring.test');
    expect(readiness).toHaveLength(2);
    expect(await worker.kill('SIGTERM')).toBe(0);
    rmSync(folder, { recursive: true });
  },
]);
