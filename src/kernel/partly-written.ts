import type { RefusalDetails } from './domain-error.js';

/** Work of several transactions failed between two of them, or in one: what was done by then is said with the failure. */
export class PartlyWritten extends Error {
  /** @param details members of the problem document */
  constructor(
    summary: string,
    readonly details: RefusalDetails,
    override readonly cause: unknown,
  ) {
    super(summary, { cause });
    this.name = new.target.name;
  }
}
