import { type CommandChild, startCommandChild } from './child.js';

/** Requests that start at fixed times, as many people make them: none waits for the answer to another. */
export interface Stream {
  /** `{n}` in it is another number in each request. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Requests a second. */
  readonly rate: number;
}

export interface OpenLoad {
  readonly streams: readonly Stream[];
  readonly seconds: number;
}

/** Starts a process that answers a load with the milliseconds from the planned time of each request to its answer, by stream. */
export function startOpenLoop(): Promise<CommandChild<OpenLoad, number[][]>> {
  return startCommandChild('open-loop-process.ts', {});
}

/** @throws when there is none: a percentile of nothing would look like speed */
export function percentile(milliseconds: readonly number[], part: number): number {
  const sorted = [...milliseconds].sort((a, b) => a - b);
  const found = sorted[Math.floor(sorted.length * part)];
  if (found === undefined) throw new Error('nothing was answered');
  return found;
}
