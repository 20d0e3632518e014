/**
 * How Node and the C library manage the memory of a process, by its role. A worker makes much garbage and keeps little, and
 * so does the service in one process: left alone, V8 takes a hundred megabytes for young objects and lets old garbage pile
 * up to several times what is kept, and the C library keeps what each of its threads has freed. Fewer young objects suit a
 * small machine: one process has few requests. What is given already stays as it is.
 */
import { accessSync, constants } from 'node:fs';
import { setFlagsFromString } from 'node:v8';

const YOUNG_GENERATION = '--max-semi-space-size';
const GROWTH = '--heap-growing-percent';
const FREED_AT_ONCE = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' };
/** What a process of a role is started with. */
export const MEMORY_BY_ROLE = {
  all: { flags: { [YOUNG_GENERATION]: 2, [GROWTH]: 20 }, settings: FREED_AT_ONCE },
  worker: { flags: { [YOUNG_GENERATION]: 16, [GROWTH]: 20 }, settings: FREED_AT_ONCE },
};

/** Puts the same process with these settings in its place, and sets what can still be set. */
export function continueWithRoleFlags() {
  const { flags, settings } = missingMemorySettings();
  if (flags.length > 0) replaceWith(flags, { ...settings, ...process.env });
  const growth = roleSettings().flags?.[GROWTH];
  if (growth !== undefined && !isGiven(GROWTH)) setFlagsFromString(`${GROWTH}=${growth}`);
}

/**
 * What this process was started without, and its role should have from the beginning. Of flags only those that every
 * Node documents: a Node that does not know one does not start.
 */
export function missingMemorySettings() {
  const { flags, settings = {} } = roleSettings();
  const youngGeneration = flags?.[YOUNG_GENERATION];
  const isMissing = youngGeneration !== undefined && !isGiven(YOUNG_GENERATION);
  return { flags: isMissing ? [`${YOUNG_GENERATION}=${youngGeneration}`] : [], settings };
}

function roleSettings() {
  return process.argv[2] === 'up' ? (MEMORY_BY_ROLE[process.env.ROLE || 'all'] ?? {}) : {};
}

function isGiven(flag) {
  return [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ').replaceAll('_', '-').includes(flag);
}

/** Returns only on a system without execve, or where messages to this process would be lost. */
function replaceWith(flags, env) {
  if (!process.execve || process.channel) return;
  try {
    accessSync(process.execPath, constants.X_OK); // Node aborts when execve fails
    process.execve(process.execPath, [process.execPath, ...flags, ...process.execArgv, ...process.argv.slice(1)], env);
  } catch {
    // it runs as it is
  }
}
