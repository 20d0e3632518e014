import { DomainError } from './domain-error.js';

/** What was to be changed is no longer what the caller saw. */
export class PreconditionFailed extends DomainError {
  constructor() {
    super('precondition_failed', 'It was changed since you read it: read it again, and then change it.');
  }
}
