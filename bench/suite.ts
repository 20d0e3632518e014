import type { Load } from './load.js';

/** Two servers that answer the same request, to be measured against each other in one run. */
export interface Contest {
  readonly ours: Load;
  readonly baseline: Load;
  readonly close: () => Promise<void>;
}

export interface Suite {
  readonly name: string;
  /** What is measured against what, in a sentence. */
  readonly about: string;
  readonly unit: string;
  prepare(): Promise<Contest>;
}
