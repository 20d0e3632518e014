import { DomainError } from './domain-error.js';

/** The resource changed since the caller read it. */
export class PreconditionFailed extends DomainError {
  constructor() {
    super('precondition_failed', 'The resource changed since you read it: read it again, then repeat the change.');
  }
}
