#!/usr/bin/env node
/**
 * Starts the command line, building it first when the sources have changed. Committed, not built: npx remembers for
 * good that a program was missing at its first call. What it imports exists in Node 18 too, which may be the one that runs it.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { continueOnBundledNode, endWithLauncher, isTooOld } from './bundled-node.mjs';

if (isTooOld()) await continueOnBundledNode();
endWithLauncher();

// Names are still looked up in libuv's threads by drivers; four of them would make all wait for a silent name server.
process.env.UV_THREADPOOL_SIZE ??= '16';

const { isStale } = await import('./build.mjs');
if (isStale()) {
  // In a process of its own: the compiler's memory goes with it, and the service is no child of anybody.
  const build = fileURLToPath(new URL('build.mjs', import.meta.url));
  const { status } = spawnSync(process.execPath, [build], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) {
    console.error('Namewatch could not be built from src, see above.');
    process.exit(1);
  }
}
await import('../dist/main.js');
