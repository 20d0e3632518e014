/** One thing measured, against a baseline of the same run where there is one. */
export interface Figure {
  readonly what: string;
  readonly unit: string;
  readonly ours: number;
  readonly baseline: number | null;
  /** Ours to the baseline's. */
  readonly ratio: number | null;
  /** Other figures that were seen on the way, such as percentiles, by name. */
  readonly besides: Readonly<Record<string, number>>;
}

export interface RunOptions {
  readonly rounds: number;
  /** How long one round of one contestant takes. */
  readonly seconds: number;
  /** How many names are watched, one measurement each; null leaves it to the suite. */
  readonly sizes: readonly number[] | null;
  /** The absolute path of a folder in which a suite may keep what takes long to fill; null: nothing is kept. */
  readonly keep: string | null;
}

/** Lives in `bench/<name>/<name>.ts`, exported as `suite`; runs in a process of its own, with a TMPDIR of its own. */
export interface Suite {
  readonly name: string;
  /** The measured thing and its baseline, in a sentence. */
  readonly about: string;
  /** It is stopped with an error when it takes longer; DEFAULT_LIMIT_SECONDS without it. */
  readonly limitSeconds?: number;
  measure(plan: RunOptions): Promise<readonly Figure[]>;
}

export const DEFAULT_LIMIT_SECONDS = 300;
