import { chmodSync, mkdtempSync, readFileSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';

const GIGABYTE = 2 ** 30;
/** The most that a run of all tests and an installation of the package take. */
const NEEDED = 8 * GIGABYTE;
const FOLDER = '/dev/shm';

/**
 * Makes a folder for temporary files in memory, where there is room and programs may be started from it. Tests write a
 * hundred thousand small files and throw them away: on a disk these take more of the processors than most tests do.
 * @returns null where files stay on the disk
 */
export function makeMemoryFolder() {
  try {
    if (!hasRoom()) return null;
    const folder = mkdtempSync(`${FOLDER}/namewatch-tests-`);
    chmodSync(folder, 0o711); // the user as whom root starts PostgreSQL walks through it
    return folder;
  } catch {
    return null; // another system than Linux, or a closed one
  }
}

function hasRoom() {
  const mount = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .find((line) => line.split(' ')[1] === FOLDER);
  if (!mount?.includes(' tmpfs ') || mount.includes('noexec')) return false;
  const { bavail, bsize } = statfsSync(FOLDER);
  return bavail * bsize >= NEEDED && freemem() >= NEEDED && memoryLimit() >= 2 * NEEDED;
}

/** Of a container, whose files in memory count. */
function memoryLimit() {
  try {
    return Number(readFileSync('/sys/fs/cgroup/memory.max', 'utf8')) || Infinity; // "max"
  } catch {
    return Infinity;
  }
}

if (process.argv[1] === import.meta.filename) console.log(makeMemoryFolder() ?? '');
