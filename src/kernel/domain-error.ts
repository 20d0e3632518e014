import type { ProblemCode } from './problem-code.js';

/** Facts about a refusal, besides its code. */
export type RefusalDetails = Readonly<Record<string, unknown>>;

/** A refusal by a business rule. `code` is part of the API, and `details` become fields of the error response. */
export class DomainError extends Error {
  constructor(
    readonly code: ProblemCode,
    message: string,
    readonly details: RefusalDetails = {},
  ) {
    super(message);
    this.name = new.target.name;
  }
}

export class PreconditionFailed extends DomainError {
  constructor() {
    super('precondition_failed', 'The resource changed since you read it: read it again, then repeat the change.');
  }
}

/** Work of several transactions failed before it was complete. `details` say how much was done. */
export class PartlyWritten extends Error {
  /** @param details fields of the error response */
  constructor(
    summary: string,
    readonly details: RefusalDetails,
    override readonly cause: unknown,
  ) {
    super(summary, { cause });
    this.name = new.target.name;
  }
}
