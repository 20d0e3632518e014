import type { LookupErrorCode } from '../domain/lookup/lookup-result.js';
import type { SourceAnswer } from '../domain/lookup/lookup-source.js';
import { toPrintable } from '../answer-text/printable.js';
import type { HttpNoResponse } from './bounded-http-request.js';

const MAX_EXCERPT_LENGTH = 500;

/**
 * The answer of a source whose server sent no usable response.
 * @param source the prefix of the rule
 * @param hasTimedOut whether the deadline of the lookup has passed
 */
export function toNoResponseFailure(
  { failure, detail, status }: HttpNoResponse,
  source: string,
  hasTimedOut: boolean,
): SourceAnswer<never> & { kind: 'failure' } {
  const excerpt = toPrintable(detail).slice(0, MAX_EXCERPT_LENGTH);
  const common = { rule: `${source}.${failure}`, excerpt, httpStatus: status, retryAfterSeconds: null };
  return { kind: 'failure', code: toErrorCode(failure, hasTimedOut), ...common };
}

function toErrorCode(failure: HttpNoResponse['failure'], hasTimedOut: boolean): LookupErrorCode {
  switch (failure) {
    case 'not_http':
    case 'too_large':
    case 'compressed':
      return 'registry_answer_unusable';
    case 'timeout':
      return hasTimedOut ? 'registry_timeout' : 'registry_unreachable';
    case 'blocked':
    case 'dns':
    case 'connect':
    case 'tls':
      return 'registry_unreachable';
  }
}
