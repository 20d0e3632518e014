import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import type { Suite } from '../../../bench/suite.js';

/** Starts a child and never ends. */
export const suite: Suite = {
  name: 'hangs',
  about: 'nothing, for ever',
  limitSeconds: 1,
  measure: async ({ keep }) => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1_000)'], { stdio: 'ignore' });
    writeFileSync(join(keep ?? '', 'started'), JSON.stringify({ pid: child.pid, folder: tmpdir() }));
    await once(child, 'exit');
    return [];
  },
};
