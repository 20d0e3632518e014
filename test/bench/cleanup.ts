import type { Figure, RunOptions, Suite } from './suite.js';

/** Things to close when a suite is through, in the opposite order, also when it fails on the way. */
export type CleanupStack = (() => Promise<void>)[];

export function withCleanup(
  measure: (plan: RunOptions, closing: CleanupStack) => Promise<readonly Figure[]>,
): Suite['measure'] {
  return async (plan) => {
    const closing: CleanupStack = [];
    try {
      return await measure(plan, closing);
    } finally {
      for (const close of closing.reverse()) await close();
    }
  };
}
