import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import type { Config } from '../config/config.js';

/** Linux has a priority for each thread; those of V8 and libuv were started before. */
const THREADS = '/proc/self/task';

/**
 * No person waits for a worker or a scheduler, so the kernel is to prefer other processes of the machine that want the
 * processor at the same time: an API process, or PostgreSQL. Alone, it is as fast as before.
 */
export function yieldToOtherProcesses({ role, workerNiceness }: Pick<Config, 'role' | 'workerNiceness'>): void {
  if (role !== 'worker' && role !== 'scheduler') return;
  try {
    if (getPriority() >= workerNiceness) return;
    for (const thread of process.platform === 'linux' ? readdirSync(THREADS).map(Number) : [process.pid])
      setPriority(thread, workerNiceness);
  } catch {
    // Forbidden by a sandbox, or a thread that ended meanwhile: the process works at the priority it has.
  }
}
