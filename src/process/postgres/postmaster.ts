import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
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
    if (!left) return clearPid(cluster);
    process.kill(left.pid, signal);
    const deadline = performance.now() + seconds * 1_000;
    while (findPostmaster(cluster)?.pid === left.pid && performance.now() < deadline) await pause(20);
  }
  const left = findPostmaster(cluster);
  if (left) throw new StartupError(`PostgreSQL (pid ${left.pid}) still runs on ${cluster} and does not stop`);
  clearPid(cluster);
}

/** Above every pid_max, so no process bears it. */
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
