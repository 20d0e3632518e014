import { HttpException } from '@nestjs/common';
import { DomainError, PartlyWritten } from '../../../kernel/domain-error.js';
import { isDatabaseUnavailable } from '../../database/database-unavailable.js';
import { InvalidRequest, type FieldProblem } from './invalid-request.js';
import type { BuiltInProblemCode } from '../../../kernel/problem-code.js';
import { ProblemCatalogue, type ProblemKind, PROBLEMS } from './problem-catalogue.js';

/** A problem document (RFC 9457) with its response headers. */
export interface Problem {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  /** True if the error is a bug of the service. Then the caller must log the cause. */
  readonly unexpected: boolean;
}

export interface ProblemContext {
  /** The path before `/v1` in public URLs, or empty. */
  readonly basePath: string;
  readonly path: string;
  readonly requestId: string;
  readonly input: 'body' | 'query';
}

/** Carries a stored error response that is sent again, with its original request id. */
export class ReplayedProblem extends Error {
  constructor(readonly problem: Problem) {
    super('a replayed refusal');
  }
}

/** Problem codes for errors that the framework throws with only a status. */
const CODE_BY_STATUS: Readonly<Record<number, BuiltInProblemCode>> = {
  400: 'invalid_request',
  401: 'authentication_required',
  404: 'not_found',
  405: 'method_not_allowed',
  413: 'payload_too_large',
  414: 'invalid_request',
  415: 'unsupported_media_type',
  503: 'overloaded',
};
/** Error details that become headers, `errors` or `detail`. The response body has no members with these names. */
const INTERNAL_DETAILS = new Set(['field', 'allow', 'scope', 'accept_encoding', 'reason']);
const DATABASE_RETRY_SECONDS = 2;

export function toProblem(error: unknown, context: ProblemContext, catalogue = ProblemCatalogue.builtIn): Problem {
  if (error instanceof ReplayedProblem) return error.problem;
  const { code, kind, detail, details, errors } = classify(error, catalogue);
  const { status, title, retryable } = kind;
  const members = Object.fromEntries(Object.entries(details).filter(([name]) => !INTERNAL_DETAILS.has(name)));
  const fields = errors ?? fieldErrors(code, detail, details, context);
  return {
    status,
    headers: headersFor(code, details),
    unexpected: code === 'internal_error',
    body: {
      type: `${context.basePath}/problems/${code}`,
      title,
      status,
      detail: error instanceof PartlyWritten || status < 500 ? detail : serverDetail(kind, details),
      instance: context.basePath + context.path,
      code,
      request_id: context.requestId,
      retryable,
      ...(fields ? { errors: fields } : {}),
      ...members,
    },
  };
}

export function problemStatus(code: string): number {
  return (ProblemCatalogue.builtIn.find(code) ?? PROBLEMS.internal_error).status;
}

interface ClassifiedError {
  readonly code: string;
  readonly kind: ProblemKind;
  readonly detail: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly errors?: readonly FieldProblem[];
}

function classify(error: unknown, catalogue: ProblemCatalogue): ClassifiedError {
  if (error instanceof PartlyWritten) {
    const cause = classify(error.cause, catalogue);
    return { ...cause, detail: error.message, details: { ...cause.details, ...error.details } };
  }
  if (error instanceof InvalidRequest)
    return { ...builtIn('invalid_request', error.message, error.details), errors: error.fields };
  if (error instanceof DomainError) {
    const kind = catalogue.find(error.code);
    if (kind) return { code: error.code, kind, detail: error.message, details: error.details };
  }
  if (isDatabaseUnavailable(error))
    return builtIn('database_unavailable', '', { retry_after_seconds: DATABASE_RETRY_SECONDS });
  if (error instanceof HttpException) return classifyStatus(error.getStatus(), error.message);
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  if (typeof status === 'number') return classifyStatus(status, (error as Error).message);
  return builtIn('internal_error', '');
}

function builtIn(code: BuiltInProblemCode, detail: string, details: ClassifiedError['details'] = {}): ClassifiedError {
  return { code, kind: PROBLEMS[code], detail, details };
}

function classifyStatus(status: number, message: string): ClassifiedError {
  const code = CODE_BY_STATUS[status] ?? (status < 500 ? 'invalid_request' : 'internal_error');
  const details = code === 'overloaded' ? { retry_after_seconds: 1 } : {};
  const detail = code === 'not_found' ? 'There is nothing at this path.' : message;
  return builtIn(code, detail, details);
}

/** Replaces a server error's message, which may reveal internals, by our own `reason` or the code's `about`. */
function serverDetail({ about }: ProblemKind, { reason }: ClassifiedError['details']): string {
  return typeof reason === 'string' ? reason : about;
}

function fieldErrors(code: string, message: string, details: ClassifiedError['details'], { input }: ProblemContext) {
  if (typeof details['field'] !== 'string') return undefined;
  const pointer = input === 'query' ? `#query/${details['field']}` : `/${details['field']}`;
  return [{ pointer, code, message }];
}

function headersFor(code: string, details: ClassifiedError['details']): Record<string, string> {
  const headers: Record<string, string> = {};
  const bearer = 'Bearer realm="namewatch"';
  if (code === 'authentication_required') headers['www-authenticate'] = bearer;
  if (code === 'invalid_token') headers['www-authenticate'] = `${bearer}, error="invalid_token"`;
  if (code === 'insufficient_scope')
    headers['www-authenticate'] = `${bearer}, error="insufficient_scope", scope="${String(details['scope'])}"`;
  if (typeof details['allow'] === 'string') headers['allow'] = details['allow'];
  if (typeof details['accept_encoding'] === 'string') headers['accept-encoding'] = details['accept_encoding'];
  if (typeof details['retry_after_seconds'] === 'number')
    headers['retry-after'] = String(Math.ceil(details['retry_after_seconds']));
  return headers;
}
