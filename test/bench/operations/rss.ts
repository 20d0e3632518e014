import { readFileSync, writeFileSync } from 'node:fs';

/** What some work took of a process. Linux only. */
export interface Done {
  readonly seconds: number;
  /** The most memory that the process held meanwhile. */
  readonly peakMib: number;
}

export async function measureWork(pid: number, work: () => Promise<unknown>): Promise<Done> {
  writeFileSync(`/proc/${pid}/clear_refs`, '5'); // resets its peak
  const began = performance.now();
  await work();
  const seconds = (performance.now() - began) / 1_000;
  const [kibibytes] = /(?<=^VmHWM:\s+)\d+/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return { seconds, peakMib: Math.round(Number(kibibytes) / 1_024) };
}
