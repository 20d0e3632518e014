import type { ValidationError } from 'class-validator';
import { DomainError } from '../../kernel/domain-error.js';

export interface FieldProblem {
  /** `/field` in a body, `#query/field` in a query. */
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

/** The body or the query breaks its schema; each field is named. */
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

  /** From what class-validator found, nested fields included. */
  static of(errors: readonly ValidationError[], input: 'body' | 'query'): InvalidRequest {
    const fields = errors.flatMap((error) => fieldProblems(error, input === 'query' ? '#query' : ''));
    return new InvalidRequest(fields.map((field) => field.message).join('; '), fields);
  }
}

/** What class-validator calls its rules, in the API's words. */
const CODES: Readonly<Record<string, string>> = { whitelistValidation: 'unknown_field', isDefined: 'required' };

function fieldProblems(error: ValidationError, parent: string): FieldProblem[] {
  // RFC 6901: `~` and `/` inside a name are escaped.
  const pointer = `${parent}/${error.property.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const missing = error.value === undefined && !error.constraints?.['whitelistValidation'];
  const own = Object.entries(error.constraints ?? {}).slice(0, 1); // one reason for each field is enough
  return [
    ...own.map(([rule, message]) => ({
      pointer,
      code: missing ? 'required' : (CODES[rule] ?? 'invalid'),
      message: rule === 'whitelistValidation' ? `${error.property} is not known here` : message,
    })),
    ...(error.children ?? []).flatMap((child) => fieldProblems(child, pointer)),
  ];
}
