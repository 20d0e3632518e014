import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { type BuiltInProblemCode, PROBLEMS } from './problem-catalogue.js';

export const PROBLEM_TYPE = 'application/problem+json';

class FieldProblemView {
  @ApiProperty({ example: '/domain', description: '`/field` in a body, `#query/field` in a query.' }) pointer: string;
  @ApiProperty({ example: 'required' }) code: string;
  @ApiProperty({ example: 'domain is required' }) message: string;
}

/** Every error response (RFC 9457). */
export class ProblemView {
  @ApiProperty({ format: 'uri-reference', description: 'A page that explains the code.' }) type: string;
  @ApiProperty({ description: 'Short, the same for every problem of this code.' }) title: string;
  @ApiProperty({ type: 'integer', minimum: 400, maximum: 599 }) status: number;
  @ApiProperty({ description: 'What is wrong with this request.' }) detail: string;
  @ApiProperty({ format: 'uri-reference', description: 'The requested path, without its query.' })
  instance: string;
  @ApiProperty({ description: 'Stable, for programs. New codes may be added.' }) code: string;
  @ApiProperty({ description: 'Also in the header X-Request-Id and in the log.' }) request_id: string;
  @ApiProperty({ description: 'Whether the same request may succeed later.' }) retryable: boolean;

  @ApiPropertyOptional({ type: [FieldProblemView], description: 'For invalid input: each invalid field.' })
  errors?: FieldProblemView[];
  @ApiPropertyOptional({ description: '`already_watched`, `already_notified`: the id of the existing resource.' })
  id?: string;
  @ApiPropertyOptional({ description: '`not_registrable`: the registrable domain above it.' })
  registrable_domain?: string;
  @ApiPropertyOptional({ type: 'array', items: { type: ['integer', 'string'] }, description: 'Allowed values.' })
  allowed_values?: (number | string)[];
  @ApiPropertyOptional({ type: 'integer', description: 'Limit of the plan, or `max_removals`.' })
  limit?: number;
  @ApiPropertyOptional({
    ...{ type: 'integer', minimum: 0, description: 'Of an import that was interrupted: entries known to be written.' },
  })
  written?: number;
  @ApiPropertyOptional({
    ...{ type: 'integer', nullable: true, minimum: 1 },
    description: 'Of an import that was interrupted: every line up to this one is done; null: none is known to be.',
  })
  last_line?: number | null;
  @ApiPropertyOptional({
    ...{ type: 'object', additionalProperties: { type: 'string', enum: ['ok', 'unavailable'] } },
    description: '`not_ready`: dependencies of the process and their state.',
  })
  checks?: Record<string, string>;
  @ApiPropertyOptional({ description: 'The registry that failed.' }) registry?: string;
  @ApiPropertyOptional({ type: 'integer', description: 'As the header Retry-After.' }) retry_after_seconds?: number;
}

const REGISTRY = { registry: 'rdap.registry.test', retry_after_seconds: 60 };

/** Example values of members beyond the common ones. */
const EXAMPLE_MEMBERS: Readonly<Partial<Record<BuiltInProblemCode, object>>> = {
  plan_limit_reached: { limit: 10 },
  too_many_domains: { limit: 20 },
  too_many_removals: { limit: 10 },
  already_watched: { id: 'wl_01jd6z0v8q3m4n5p6r7s8t9vwx' },
  already_notified: { id: 'nc_01jd6z0v8q3m4n5p6r7s8t9vwx' },
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

/** @param instance the path of the operation */
export function problemExample(code: BuiltInProblemCode, instance = '/v1/watchlist'): object {
  const { status, title, retryable, about } = PROBLEMS[code];
  const request_id = '01939c7e-6c1a-7f3e-9a52-3f1f2f0c9b11';
  return {
    ...{ type: `/problems/${code}`, title, status, detail: about, instance, code, request_id, retryable },
    ...EXAMPLE_MEMBERS[code],
  };
}
