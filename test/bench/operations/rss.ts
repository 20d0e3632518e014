import { readFileSync } from 'node:fs';

/** The memory that a process holds, and the most that it ever held; MiB. Linux only. */
export interface Rss {
  readonly now: number;
  readonly peak: number;
}

export function readRss(pid: number): Rss {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mebibytes = (field: string) =>
    Math.round(Number(RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1_024);
  return { now: mebibytes('VmRSS'), peak: mebibytes('VmHWM') };
}
