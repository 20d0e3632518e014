import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Machine } from './machine.js';
import type { Figure } from './suite.js';

/** The figures of one suite, with what they depend on. */
export interface MeasuredSuite {
  readonly suite: string;
  readonly about: string;
  readonly command: string;
  readonly commit: string;
  /** ISO 8601. */
  readonly measuredAt: string;
  /** How long the suite took. */
  readonly seconds: number;
  readonly machine: Machine;
  readonly figures: readonly Figure[];
}

/** @throws an error that names the file when it holds something else */
export function readFigures(file: string): readonly MeasuredSuite[] {
  try {
    const suites: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (Array.isArray(suites) && suites.every(isMeasuredSuite)) return suites;
  } catch (cause) {
    throw new Error(`${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
  throw new Error(`${file} holds no figures of suites`);
}

/** Replaces the figures of that suite and keeps those of all others. */
export function saveFigures(file: string, measured: MeasuredSuite): void {
  const others = existsSync(file) ? readFigures(file).filter(({ suite }) => suite !== measured.suite) : [];
  const all = [...others, measured].sort((one, other) => (one.suite < other.suite ? -1 : 1));
  writeFileSync(`${file}.new`, `${JSON.stringify(all, null, 2)}\n`);
  renameSync(`${file}.new`, file); // whole, also when the run is killed meanwhile
}

function isMeasuredSuite(one: unknown): one is MeasuredSuite {
  const { suite, figures, machine } = (one ?? {}) as Partial<MeasuredSuite>;
  return typeof suite === 'string' && Array.isArray(figures) && typeof machine === 'object';
}
