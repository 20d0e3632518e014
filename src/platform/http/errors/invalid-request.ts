import { DomainError } from '../../../kernel/domain-error.js';

export interface FieldProblem {
  /** `/field` in a body, `#query/field` in a query. */
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

/** The body or the query is invalid; each invalid field is named. */
export class InvalidRequest extends DomainError {
  constructor(
    message: string,
    readonly fields: readonly FieldProblem[],
  ) {
    super('invalid_request', message);
  }

  static malformed(message: string): InvalidRequest {
    return new InvalidRequest(message, [{ pointer: '', code: 'malformed', message }]);
  }

  static of(fields: readonly FieldProblem[]): InvalidRequest {
    return new InvalidRequest(fields.map((field) => field.message).join('; '), fields);
  }
}
