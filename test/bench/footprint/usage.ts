import { readdirSync, readFileSync } from 'node:fs';

export interface Usage {
  readonly mebibytes: number;
  /** Since each of the processes started. */
  readonly processorSeconds: number;
}

const NONE: Usage = { mebibytes: 0, processorSeconds: 0 };
const TICKS_PER_SECOND = 100;

/**
 * The use of the machine by a process and its descendants: PSS, which divides shared memory. The first process counts
 * in full, since its Node is also that of others here. Linux only.
 */
export function readUsage(root: number): Usage {
  return [root, ...findDescendants(root)].reduce((total, pid) => {
    const { mebibytes, processorSeconds } = usageOf(pid, pid === root ? 'Rss' : 'Pss');
    return {
      mebibytes: total.mebibytes + mebibytes,
      processorSeconds: total.processorSeconds + processorSeconds,
    };
  }, NONE);
}

function usageOf(pid: number, field: 'Rss' | 'Pss'): Usage {
  const rollup = read(pid, 'smaps_rollup');
  const [kibibytes] = RegExp(`(?<=^${field}:\\s+)\\d+`, 'm').exec(rollup ?? '') ?? [];
  const [userTicks, systemTicks] = statOf(pid).slice(11, 13).map(Number);
  if (kibibytes === undefined || userTicks === undefined || systemTicks === undefined) return NONE;
  return { mebibytes: Number(kibibytes) / 1_024, processorSeconds: (userTicks + systemTicks) / TICKS_PER_SECOND };
}

function findDescendants(root: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const parents = new Map(pids.map((pid) => [Number(pid), Number(statOf(Number(pid))[1])]));
  const childrenOf = (pid: number): number[] =>
    [...parents].flatMap(([child, parent]) => (parent === pid ? [child, ...childrenOf(child)] : []));
  return childrenOf(root);
}

/** The fields of proc_pid_stat(5) from the third on: the second is a name, which may have spaces. */
function statOf(pid: number): string[] {
  const text = read(pid, 'stat') ?? '';
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** @returns null for a process that has ended */
function read(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return null;
  }
}
