#!/usr/bin/env node
/**
 * Starts the command line, and builds it first if the sources have changed. This file is committed and not built, since
 * npx remembers that a program was missing. It imports only what exists in Node 18 too, since that may run it.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { continueOnBundledNode, endWithLauncher, isTooOld } from './bundled-node.mjs';

if (isTooOld()) await continueOnBundledNode();
endWithLauncher();

// Drivers look names up in libuv's threads. With the default of four, a silent name server would block all lookups.
process.env.UV_THREADPOOL_SIZE ??= '16';

const { isStale } = await import('./build.mjs');
if (isStale()) {
  // In its own process, so that the compiler's memory is freed and the service has no extra parent.
  const build = fileURLToPath(new URL('build.mjs', import.meta.url));
  const { status } = spawnSync(process.execPath, [build], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) {
    console.error('Namewatch could not be built from src, see above.');
    process.exit(1);
  }
}
await import('../dist/main.js');
