import { join } from 'node:path';
import { startCommandChild } from './command-child.js';
import type { Round } from './load.js';

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

/** A process that sends what it is ordered to. */
export interface OpenLoop {
  /** @returns milliseconds from the planned time of each request to its answer, by stream */
  run(streams: readonly Stream[], seconds: number): Promise<readonly number[][]>;
  close(): Promise<void>;
}

export async function startOpenLoop(): Promise<OpenLoop> {
  const child = await startCommandChild<OpenLoad, number[][]>(join(import.meta.dirname, 'open-loop-process.ts'), {});
  return { run: (streams, seconds) => child.run({ streams, seconds }), close: () => child.close() };
}

/** @throws when there is none: a percentile of nothing would look like speed */
export function percentile(milliseconds: readonly number[], part: number): number {
  const sorted = [...milliseconds].sort((a, b) => a - b);
  const found = sorted[Math.floor(sorted.length * part)];
  if (found === undefined) throw new Error('nothing was answered');
  return found;
}

export function toRound(milliseconds: readonly number[], rate: number): Round {
  return { rate, p50: percentile(milliseconds, 0.5), p99: percentile(milliseconds, 0.99) };
}
