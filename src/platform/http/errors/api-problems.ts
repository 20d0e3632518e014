import { applyDecorators, SetMetadata } from '@nestjs/common';
import {
  ApiExtension,
  ApiExtraModels,
  ApiResponse,
  getSchemaPath,
  ApiProperty,
  ApiPropertyOptional,
} from '@nestjs/swagger';
import type { BuiltInProblemCode, ProblemCode } from '../../../kernel/problem-code.js';
import { EXTENSION_CODES, isProblemCode, PROBLEMS } from './problem-catalogue.js';

/** The problem codes of every authenticated route. */
const COMMON_CODES: readonly BuiltInProblemCode[] = [
  'invalid_request',
  'authentication_required',
  'invalid_token',
  'insufficient_scope',
  'forbidden_origin',
  'not_a_member',
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

/** Adds these problem codes and the common codes to an authenticated route in the API document. */
export function ApiProblems(...codes: readonly ProblemCode[]): MethodDecorator {
  return documentProblems(new Set([...COMMON_CODES, ...codes]));
}

/** Adds only these problem codes to a public route in the API document. */
export function ApiPublicProblems(...codes: readonly ProblemCode[]): MethodDecorator {
  return documentProblems(codes);
}

function documentProblems(codes: Iterable<ProblemCode>): MethodDecorator {
  const all = [...codes];
  const added = all.filter((code) => !isProblemCode(code));
  const byStatus = Map.groupBy(all.filter(isProblemCode), (code) => PROBLEMS[code].status);
  const refusals = [...byStatus].map(([status, theirs]) => ApiResponse({ status, ...problemResponse(status, theirs) }));
  const ofExtensions = [ApiExtension(EXTENSION_CODES, added), SetMetadata(EXTENSION_CODES, added)];
  return applyDecorators(ApiExtraModels(ProblemView), ...refusals, ...(added.length > 0 ? ofExtensions : []));
}

export function problemResponse(status: number, codes: readonly string[]) {
  const headers = HEADERS_BY_STATUS[status];
  return {
    description: codes.map((code) => `\`${code}\``).join(', '),
    ...(headers ? { headers } : {}),
    content: { [PROBLEM_TYPE]: { schema: { $ref: getSchemaPath(ProblemView) } } },
  };
}

export const PROBLEM_TYPE = 'application/problem+json';

class FieldProblemView {
  @ApiProperty({ example: '/domain', description: '`/field` in a body, `#query/field` in a query.' }) pointer: string;
  @ApiProperty({ example: 'required' }) code: string;
  @ApiProperty({ example: 'domain is required' }) message: string;
}

/** The body of every error response (RFC 9457). */
export class ProblemView {
  @ApiProperty({ format: 'uri-reference', description: 'A page that explains the code.' }) type: string;
  @ApiProperty({ description: 'Short, the same for every problem of this code.' }) title: string;
  @ApiProperty({ type: 'integer', minimum: 400, maximum: 599 }) status: number;
  @ApiProperty({ description: 'The fault of this request.' }) detail: string;
  @ApiProperty({ format: 'uri-reference', description: 'The requested path, without its query.' })
  instance: string;
  @ApiProperty({ description: 'Stable, for programs. New codes may be added.' }) code: string;
  @ApiProperty({ description: 'Also in the header X-Request-Id and in the log.' }) request_id: string;
  @ApiProperty({ description: 'Whether the same request may succeed later.' }) retryable: boolean;

  @ApiPropertyOptional({ type: [FieldProblemView], description: 'For invalid input: each invalid field.' })
  errors?: FieldProblemView[];
  @ApiPropertyOptional({
    description: '`already_watched`, `already_notified`, `label_taken`: the id of the existing resource.',
  })
  id?: string;
  @ApiPropertyOptional({
    description:
      '`not_registrable`: the registrable domain above it. `domain_malformed`: the one in a URL or a mail address.',
  })
  registrable_domain?: string;
  @ApiPropertyOptional({ type: 'array', items: { type: ['integer', 'string'] }, description: 'Allowed values.' })
  allowed_values?: (number | string)[];
  @ApiPropertyOptional({ type: 'integer', description: 'Limit of the plan, or `max_removals`.' })
  limit?: number;
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    description: 'Of an import that was interrupted: entries known to be written.',
  })
  written?: number;
  @ApiPropertyOptional({
    type: 'integer',
    nullable: true,
    minimum: 1,
    description: 'Of an import that was interrupted: every line up to this one is done; null: none is known to be.',
  })
  last_line?: number | null;
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string', enum: ['ok', 'unavailable'] },
    description: '`not_ready`: dependencies of the process and their state.',
  })
  checks?: Record<string, string>;
  @ApiPropertyOptional({ description: 'The registry that failed.' }) registry?: string;
  @ApiPropertyOptional({ type: 'integer', description: 'As the header Retry-After.' }) retry_after_seconds?: number;
}

const REGISTRY = { registry: 'rdap.registry.test', retry_after_seconds: 60 };

const EXAMPLE_MEMBERS: Readonly<Partial<Record<BuiltInProblemCode, object>>> = {
  plan_limit_reached: { limit: 10 },
  too_many_domains: { limit: 20 },
  too_many_removals: { limit: 10 },
  already_watched: { id: 'wl_01jd6z0v8q3m4n5p6r7s8t9vwx' },
  already_notified: { id: 'nc_01jd6z0v8q3m4n5p6r7s8t9vwx' },
  label_taken: { id: 'nc_01jd6z0v8q3m4n5p6r7s8t9vwx' },
  not_registrable: { registrable_domain: 'example.test' },
  interval_not_allowed: { allowed_values: [720, 1440] },
  registry_unreachable: REGISTRY,
  registry_answer_unusable: REGISTRY,
  registry_throttled: REGISTRY,
  registry_timeout: REGISTRY,
  idempotency_in_flight: { retry_after_seconds: 1 },
  rate_limited: { retry_after_seconds: 30 },
  too_many_concurrent_requests: { retry_after_seconds: 1 },
  database_unavailable: { retry_after_seconds: 2 },
  not_ready: { retry_after_seconds: 1, checks: { database: 'unavailable', queue: 'ok' } },
  overloaded: { retry_after_seconds: 1 },
};

export function problemExample(code: BuiltInProblemCode, instance = '/v1/watchlist'): object {
  const { status, title, retryable, about } = PROBLEMS[code];
  const request_id = '01939c7e-6c1a-7f3e-9a52-3f1f2f0c9b11';
  const common = { type: `/problems/${code}`, title, status, detail: about, instance, code, request_id, retryable };
  return { ...common, ...EXAMPLE_MEMBERS[code] };
}
