/**
 * Flags of Node for a worker, which makes much garbage and keeps little. Left alone, V8 takes a hundred megabytes for
 * young objects, and lets old garbage pile up to several times what is kept. Given flags are left as they are.
 */
import { setFlagsFromString } from 'node:v8';

const YOUNG_GENERATION = '--max-semi-space-size';
const GROWTH = '--heap-growing-percent';
const FLAGS = { [YOUNG_GENERATION]: 8, [GROWTH]: 30 };

/** Puts the same process with these flags in its place: V8 reads some of them only as it starts. */
export function continueWithWorkerFlags() {
  if (process.env.ROLE !== 'worker' || process.argv[2] !== 'up') return;
  const given = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ');
  const missing = Object.keys(FLAGS).filter((flag) => !given.includes(flag));
  if (missing.length === 0) return;
  replaceWith(missing.map((flag) => `${flag}=${FLAGS[flag]}`));
  if (missing.includes(GROWTH)) setFlagsFromString(`${GROWTH}=${FLAGS[GROWTH]}`);
}

/** Returns only where the system cannot, or where messages to this process would be lost. */
function replaceWith(flags) {
  if (!process.execve || process.channel) return;
  try {
    process.execve(process.execPath, [process.execPath, ...flags, ...process.execArgv, ...process.argv.slice(1)]);
  } catch {
    // it runs as it is
  }
}
