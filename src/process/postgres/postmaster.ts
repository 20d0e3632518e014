import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { StartupError } from '../startup-error.js';

export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly ready: boolean;
}

/**
 * The numbers of lines in PostgreSQL's file postmaster.pid, counted from 0. PostgreSQL's miscadmin.h defines them
 * (LOCK_FILE_LINE_…).
 */
const PORT_LINE = 3;
const STATUS_LINE = 7;

/** Returns the cluster's running server; null if none runs, or if another program now has its process id. */
export function findPostmaster(cluster: string): Postmaster | null {
  const lines = readPidFile(cluster);
  const pid = Number(lines[0]);
  if (!isServerOf(cluster, pid)) return null;
  return { pid, port: Number(lines[PORT_LINE]), ready: lines[STATUS_LINE]?.trim() === 'ready' };
}

const FAST_SHUTDOWN = { signal: 'SIGINT', seconds: 30 } as const;
const IMMEDIATE_SHUTDOWN = { signal: 'SIGQUIT', seconds: 10 } as const;

/** Stops the PostgreSQL server that a killed service has left on the cluster, and waits until the server is gone. */
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
 * Kills backends (child processes) of a killed server, which keep PostgreSQL from starting. No committed work is lost.
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

/** PostgreSQL shows this name in the titles of its processes, so that clusters can be told apart. */
export function clusterName(cluster: string): string {
  return `namewatch-${createHash('sha256').update(cluster).digest('hex').slice(0, 16)}`;
}

/** Finds the backends (child processes). A new backend still has the command line of its server as its title. */
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

/** This process id is larger than every pid_max, so no process has it. */
const UNUSED_PID = 99_999_999;

/** Replaces the process id in postmaster.pid, because PostgreSQL does not start while any program has this id. */
function clearPid(cluster: string): void {
  const [pid, ...rest] = readPidFile(cluster);
  if (pid === undefined || Number(pid) === UNUSED_PID || !isAlive(Number(pid))) return;
  // Keeps the rest of the file, because PostgreSQL needs its shared memory key to find processes that were left behind.
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

/** Returns the words of a process's command line. Returns no words if the process has ended. */
function commandLine(pid: number): string[] {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return execFileSync('/bin/ps', ['-p', String(pid), '-o', 'args='], { encoding: 'utf8' })
      .trim()
      .split(' ');
  } catch {
    return []; // the process ended meanwhile
  }
}
