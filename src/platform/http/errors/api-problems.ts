import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension, ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import {
  type BuiltInProblemCode,
  EXTENSION_CODES,
  isProblemCode,
  type ProblemCode,
  PROBLEMS,
} from './problem-catalogue.js';
import { PROBLEM_TYPE, problemExample, ProblemView } from './problem-view.js';
import { invalidRequestExample } from './invalid-request-example.js';

/** Problems of every authenticated route. */
const COMMON_CODES: readonly BuiltInProblemCode[] = [
  'invalid_request',
  'authentication_required',
  'invalid_token',
  'insufficient_scope',
  'rate_limited',
  'too_many_concurrent_requests',
  'internal_error',
  'database_unavailable',
  'overloaded',
];
const TEXT = { schema: { type: 'string' } } as const;
const RETRY_AFTER = { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } } } as const;
const HEADERS_BY_STATUS: Readonly<Record<number, Record<string, object>>> = {
  401: { 'WWW-Authenticate': TEXT },
  403: { 'WWW-Authenticate': { description: 'Names the scope that is missing.', ...TEXT } },
  429: { ...RETRY_AFTER, RateLimit: TEXT, 'RateLimit-Policy': TEXT },
  502: RETRY_AFTER,
  503: RETRY_AFTER,
  504: RETRY_AFTER,
};

/** Documents the problems of an authenticated route: these codes and the common ones. */
export function ApiProblems(...codes: readonly ProblemCode[]): MethodDecorator {
  return (target, handler, descriptor) => {
    const { message: detail, fields: errors } = invalidRequestExample(target, handler);
    const example = { ...problemExample('invalid_request'), detail, errors };
    documentProblems(new Set([...COMMON_CODES, ...codes]), { 400: example })(target, handler, descriptor);
  };
}

/** Documents the problems of a public route: exactly these codes. */
export function ApiPublicProblems(...codes: readonly ProblemCode[]): MethodDecorator {
  return documentProblems(codes, {});
}

/** @param examples by status */
function documentProblems(codes: Iterable<ProblemCode>, examples: Readonly<Record<number, object>>): MethodDecorator {
  const all = [...codes];
  const added = all.filter((code) => !isProblemCode(code));
  const byStatus = Map.groupBy(all.filter(isProblemCode), (code) => PROBLEMS[code].status);
  const refusals = [...byStatus].map(([status, theirs]) =>
    ApiResponse({ status, ...problemResponse(status, theirs, examples[status]) }),
  );
  const ofExtensions = [ApiExtension(EXTENSION_CODES, added), SetMetadata(EXTENSION_CODES, added)];
  return applyDecorators(ApiExtraModels(ProblemView), ...refusals, ...(added.length > 0 ? ofExtensions : []));
}

/** The response of an operation for these codes, which all have this status. */
export function problemResponse(status: number, codes: readonly string[], example?: object) {
  const headers = HEADERS_BY_STATUS[status];
  const media = { schema: { $ref: getSchemaPath(ProblemView) }, ...(example ? { example } : {}) };
  return {
    description: codes.map((code) => `\`${code}\``).join(', '),
    ...(headers ? { headers } : {}),
    content: { [PROBLEM_TYPE]: media },
  };
}
