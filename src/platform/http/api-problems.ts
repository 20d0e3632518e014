import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiResponse, getSchemaPath, ApiExtraModels } from '@nestjs/swagger';
import { PROBLEMS } from './problem-catalogue.js';

class FieldProblemView {
  @ApiProperty({ example: '/domain', description: '`/field` in a body, `#query/field` in a query.' }) pointer: string;
  @ApiProperty({ example: 'required' }) code: string;
  @ApiProperty({ example: 'domain must be a string' }) message: string;
}

/** The shape of every refusal (RFC 9457). */
export class ProblemView {
  @ApiProperty({ example: '/problems/not_registrable', format: 'uri-reference' }) type: string;
  @ApiProperty() title: string;
  @ApiProperty({ example: 422 }) status: number;
  @ApiProperty() detail: string;
  @ApiProperty({ example: '/v1/watchlist' }) instance: string;
  @ApiProperty({ description: 'Stable; new codes may be added.', example: 'not_registrable' }) code: string;
  @ApiProperty() request_id: string;
  @ApiProperty({ description: 'Whether the same request may succeed later.' }) retryable: boolean;
  @ApiProperty({ type: [FieldProblemView], required: false }) errors?: FieldProblemView[];
}

/** Documents the refusals of a route by status, with the codes that each may carry. */
export function ApiProblems(...statuses: readonly number[]): MethodDecorator {
  return applyDecorators(ApiExtraModels(ProblemView), ...statuses.map(refusal));
}

function refusal(status: number): MethodDecorator {
  const kinds = Object.entries(PROBLEMS).filter(([, kind]) => kind.status === status);
  const codes = kinds.map(([code]) => `\`${code}\``).join(', ');
  const [code = '', kind] = kinds[0] ?? [];
  const example = {
    type: `/problems/${code}`,
    title: kind?.title,
    status,
    detail: kind?.about,
    instance: '/v1/…',
    code,
    request_id: '01939c7e-6c1a-7f3e-9a52-3f1f2f0c9b11',
    retryable: kind?.retryable,
  };
  return ApiResponse({
    status,
    description: `Refused: ${codes}.`,
    content: { 'application/problem+json': { schema: { $ref: getSchemaPath(ProblemView) }, example } },
  });
}
