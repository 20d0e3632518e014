import { ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { ArrayNotEmpty, IsArray, IsOptional, IsString, ValidateIf } from 'class-validator';
import { problemExample, ProblemView } from '../../platform/http/errors/api-problems.js';
import { ExcludedBy, QueryIntegerField } from '../../platform/http/validation/fields.js';
import { CHECK_EXAMPLES, CheckView, type Expansion, Expansions } from './check.dto.js';

export class BulkCheckQuery {
  @QueryIntegerField({
    minimum: 0,
    maximum: 86_400,
    description: 'Oldest acceptable answer, in seconds, for each of the names; 0 requires a live lookup.',
    optional: true,
  })
  max_age?: number;

  @IsOptional()
  @Expansions()
  expand?: readonly Expansion[];
}

export class BulkCheckBody {
  @ApiProperty({
    type: [String],
    minItems: 1,
    example: ['available.test', 'registered.test'],
    description: 'Up to the maximum of the plan. A duplicate is looked up once and answered twice.',
  })
  domains: string[];
}

export class LabelCheckBody {
  @ApiProperty({ example: 'available', description: 'The label below each suffix, in Unicode or as an A-label.' })
  label: string;

  @ApiProperty({
    type: [String],
    minItems: 1,
    example: ['test', 'example'],
    description: 'TLDs and other public suffixes such as `co.uk`, up to the maximum of the plan.',
  })
  tlds: string[];
}

/** Accepts either `domains`, or `label` and `tlds`. Reports the missing fields of the form that the request uses. */
export class CheckManyBody implements Partial<BulkCheckBody & LabelCheckBody> {
  @ValidateIf(({ domains, label, tlds }: CheckManyBody) => domains !== undefined || (label ?? tlds) === undefined)
  @IsArray()
  @ArrayNotEmpty()
  @IsString({ each: true })
  domains?: string[];

  @ValidateIf(isExpectedBeside('tlds'))
  @ExcludedBy('domains')
  @IsString()
  label?: string;

  @ValidateIf(isExpectedBeside('label'))
  @ExcludedBy('domains')
  @IsArray()
  @ArrayNotEmpty()
  @IsString({ each: true })
  tlds?: string[];
}

function isExpectedBeside(other: 'label' | 'tlds') {
  return (body: CheckManyBody, value: unknown) =>
    value !== undefined || (body.domains === undefined && body[other] !== undefined);
}

export const BULK_BODY_SCHEMA = {
  oneOf: [BulkCheckBody, LabelCheckBody].map((form) => ({ $ref: getSchemaPath(form) })),
};

/** Either `result` or `error` is null. */
export class BulkCheckItem {
  @ApiProperty({ example: 'available.test', description: 'As in the request; the label and a suffix joined by a dot.' })
  domain: string;
  @ApiProperty({ type: CheckView, nullable: true, description: 'The same as in the check of one name.' })
  result: CheckView | null;
  @ApiProperty({
    type: ProblemView,
    nullable: true,
    description: 'Why there is no result. An error is never a status.',
  })
  error: object | null;
}

export type StreamedItem = BulkCheckItem & {
  /** The position of the name in the request, from 0. */
  readonly index: number;
};

export class BulkCheckMeta {
  @ApiProperty({ type: 'integer', example: 2 }) total: number;
  @ApiProperty({ type: 'integer', example: 1 }) answered: number;
  @ApiProperty({ type: 'integer', example: 1 }) failed: number;
}

export class BulkCheckView {
  @ApiProperty({ type: [BulkCheckItem], description: 'In the order of the names.' }) data: BulkCheckItem[];
  @ApiProperty({ type: BulkCheckMeta }) meta: BulkCheckMeta;
}

export const BULK_BODY_EXAMPLES = {
  some: { summary: 'Three names', value: { domains: ['available.test', 'registered.test', 'timeout.test'] } },
  label: { summary: 'One label below several suffixes', value: { label: 'available', tlds: ['test', 'example'] } },
};

export const BULK_EXAMPLES = {
  partly: {
    summary: 'One of two has no answer',
    value: {
      data: [
        { domain: 'available.test', result: CHECK_EXAMPLES.available.value, error: null },
        { domain: 'timeout.test', result: null, error: problemExample('registry_timeout', '/v1/domains/check') },
      ],
      meta: { total: 2, answered: 1, failed: 1 },
    } satisfies BulkCheckView,
  },
};

const [ONE, OTHER] = BULK_EXAMPLES.partly.value.data;

/** The lines are in the order of the answers, not of the request. */
export const BULK_STREAM_EXAMPLE = [
  { index: 1, ...OTHER },
  { index: 0, ...ONE },
  { meta: BULK_EXAMPLES.partly.value.meta },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('');
