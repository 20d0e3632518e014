import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { StartupError } from '../startup-error.js';

/** A PostgreSQL server that lives on a cluster. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly ready: boolean;
}

/** The lines of postmaster.pid, from PostgreSQL's miscadmin.h (LOCK_FILE_LINE_…), counted from 0. */
const PORT_LINE = 3;
const STATUS_LINE = 7;

/** The live server of this cluster; null also when the process id was given to another program since. */
export function findPostmaster(cluster: string): Postmaster | null {
  const lines = readPidFile(cluster);
  const pid = Number(lines[0]);
  if (!isServerOf(cluster, pid)) return null;
  return { pid, port: Number(lines[PORT_LINE]), ready: lines[STATUS_LINE]?.trim() === 'ready' };
}

const FAST_SHUTDOWN = { signal: 'SIGINT', seconds: 30 } as const;
const IMMEDIATE_SHUTDOWN = { signal: 'SIGQUIT', seconds: 10 } as const;

/**
 * Waits until no server is left on the cluster. The shell of a killed
 * service has stopped its server already; another signal does no harm, and reaches one whose shell was killed too.
 */
export async function awaitNoPostmaster(cluster: string): Promise<void> {
  for (const { signal, seconds } of [FAST_SHUTDOWN, IMMEDIATE_SHUTDOWN]) {
    const left = findPostmaster(cluster);
    if (!left) break;
    process.kill(left.pid, signal);
    const deadline = performance.now() + seconds * 1_000;
    while (findPostmaster(cluster)?.pid === left.pid && performance.now() < deadline) await pause(20);
  }
  const left = findPostmaster(cluster);
  if (left) throw new StartupError(`PostgreSQL (pid ${left.pid}) still runs on ${cluster} and does not stop`);
  await endOrphans(cluster);
  clearPid(cluster);
}

const ORPHAN_EXIT_MS = 5_000;

/**
 * Ends the backends of a killed server: a backend notices the end of its server only when it next waits, and PostgreSQL
 * refuses to start until the last backend is gone. None of their open work was committed.
 */
async function endOrphans(cluster: string): Promise<void> {
  const deadline = performance.now() + ORPHAN_EXIT_MS;
  for (let orphans = findBackends(cluster); orphans.length > 0; orphans = findBackends(cluster)) {
    if (performance.now() > deadline)
      throw new StartupError(`processes of a killed PostgreSQL still use ${cluster}: ${orphans.join(', ')}`);
    for (const pid of orphans) kill(pid);
    await pause(20);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** PostgreSQL puts it into the title of each of its processes, which tells those of one cluster from all others. */
export function clusterName(cluster: string): string {
  return `namewatch-${createHash('sha256').update(cluster).digest('hex').slice(0, 16)}`;
}

/** A backend that has just begun still has the server's command line instead of a title. */
function findBackends(cluster: string): number[] {
  const title = `postgres: ${clusterName(cluster)}:`;
  return processTitles().flatMap(([pid, text]) => (text.startsWith(title) || isServerOf(cluster, pid) ? [pid] : []));
}

function processTitles(): (readonly [pid: number, title: string])[] {
  if (process.platform === 'linux') {
    const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
    return pids.map((pid) => [pid, commandLine(pid).join(' ')] as const);
  }
  const list = execFileSync('/bin/ps', ['-A', '-o', 'pid=,args='], { encoding: 'utf8' });
  return list.split('\n').flatMap((line) => {
    const [, pid, title] = /^\s*(\d+)\s+(.*)$/.exec(line) ?? [];
    return title === undefined ? [] : [[Number(pid), title] as const];
  });
}

/** No process bears it: it is above every pid_max. */
const UNUSED_PID = 99_999_999;

/**
 * PostgreSQL refuses to start while any process of its user bears the number in postmaster.pid, even another program
 * that got it later, as happens at each restart of a container. Only the number is changed, the file stays: its
 * shared memory key still lets PostgreSQL notice backends that outlived their server.
 */
function clearPid(cluster: string): void {
  const [pid, ...rest] = readPidFile(cluster);
  if (pid === undefined || Number(pid) === UNUSED_PID || !isAlive(Number(pid))) return;
  writeFileSync(join(cluster, 'postmaster.pid'), [UNUSED_PID, ...rest].join('\n'));
}

function readPidFile(cluster: string): string[] {
  try {
    return readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function isServerOf(cluster: string, pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || !isAlive(pid)) return false;
  const [program = '', ...words] = commandLine(pid);
  return basename(program) === 'postgres' && words.includes(cluster);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Empty for a process that has ended and waits to be collected. */
function commandLine(pid: number): string[] {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return execFileSync('/bin/ps', ['-p', String(pid), '-o', 'args='], { encoding: 'utf8' })
      .trim()
      .split(' ');
  } catch {
    return []; // it ended between the two questions
  }
}
