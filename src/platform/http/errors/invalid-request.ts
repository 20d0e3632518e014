import { DomainError } from '../../../kernel/domain-error.js';

export interface FieldProblem {
  /** Where the invalid field stands: `/field` in a body, `#query/field` in a query. */
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

export class InvalidRequest extends DomainError {
  constructor(
    message: string,
    readonly fields: readonly FieldProblem[],
    details: DomainError['details'] = {},
  ) {
    super('invalid_request', message, details);
  }

  static malformed(message: string): InvalidRequest {
    return new InvalidRequest(message, [{ pointer: '', code: 'malformed', message }]);
  }

  static of(fields: readonly FieldProblem[]): InvalidRequest {
    return new InvalidRequest(fields.map((field) => field.message).join('; '), fields);
  }
}

/** @param parent the pointer of the object that contains the field */
export function unknownField(parent: string, name: string): FieldProblem {
  return { pointer: pointerTo(parent, name), code: 'unknown_field', message: `${name} is not known here` };
}

/** Returns the JSON pointer to a field. Escapes `~` and `/` in the field's name (RFC 6901). */
export function pointerTo(parent: string, name: string): string {
  return `${parent}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
