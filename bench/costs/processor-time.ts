import { readdirSync, readFileSync } from 'node:fs';

/** Processor time of what a suite started; microseconds. Linux only. */
export interface ProcessorTime {
  readonly service: number;
  readonly postgresql: number;
  readonly redis: number;
}

interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  /** Own time, and that of children which have ended. */
  readonly ticks: number;
  readonly command: string;
}

/** USER_HZ is 100 on every Linux platform that Node runs on. */
const MICROSECONDS_PER_TICK = 10_000;
const PROGRAMS: Readonly<Record<keyof ProcessorTime, RegExp>> = {
  service: /namewatch\.mjs|dist\/main\.js/,
  postgresql: /^(\S*\/)?postgres[ :]/,
  redis: /(redis|valkey)-server/,
};

/** So far, of all processes below this one. */
export function readProcessorTime(): ProcessorTime {
  const below = descendants(readProcesses(), process.pid);
  const sum = (program: keyof ProcessorTime) =>
    below
      .filter(({ command }) => PROGRAMS[program].test(command))
      .reduce((total, { ticks }) => total + ticks * MICROSECONDS_PER_TICK, 0);
  return { service: sum('service'), postgresql: sum('postgresql'), redis: sum('redis') };
}

function descendants(all: readonly ProcessEntry[], ancestor: number): ProcessEntry[] {
  const children = all.filter(({ parent }) => parent === ancestor);
  return children.flatMap((child) => [child, ...descendants(all, child.pid)]);
}

function readProcesses(): ProcessEntry[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => readProcess(Number(pid)) ?? []);
}

/** @returns null for a process that has ended meanwhile */
function readProcess(pid: number): ProcessEntry | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number); // from the third on, see proc(5)
    const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = fields.slice(11, 15);
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    const ticks = user + system + childrenUser + childrenSystem;
    return { pid, parent: fields[1] ?? 0, ticks, command };
  } catch {
    return null;
  }
}
