import type { Figure, Plan, Suite } from './suite.js';

/** What has to be closed when a suite is through, in the opposite order, also when it fails on the way. */
export type Closing = (() => Promise<void>)[];

export function closingAfter(measure: (plan: Plan, closing: Closing) => Promise<readonly Figure[]>): Suite['measure'] {
  return async (plan) => {
    const closing: Closing = [];
    try {
      return await measure(plan, closing);
    } finally {
      for (const close of closing.reverse()) await close();
    }
  };
}
