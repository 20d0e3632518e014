import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayNotEmpty, IsArray, IsOptional, IsString } from 'class-validator';
import { problemExample, ProblemView } from '../../platform/http/errors/problem-view.js';
import { QueryInteger } from '../../platform/http/validation/strict-validation.pipe.js';
import { CHECK_EXAMPLES, CheckView } from './check.dto.js';
import { type Expansion, Expansions } from './check-expansions.dto.js';

export class BulkCheckQuery {
  @ApiPropertyOptional({
    ...{ type: 'integer', minimum: 0, maximum: 86_400 },
    description: 'Oldest acceptable answer, in seconds, for each of the names; 0 requires a live lookup.',
  })
  @IsOptional()
  @QueryInteger(0, 86_400)
  max_age?: number;

  @IsOptional()
  @Expansions()
  expand?: readonly Expansion[];
}

export class BulkCheckBody {
  @ApiProperty({
    ...{ type: [String], minItems: 1, example: ['available.test', 'registered.test'] },
    description: 'Up to the maximum of the plan. A duplicate is looked up once and answered twice.',
  })
  @IsArray()
  @ArrayNotEmpty()
  @IsString({ each: true })
  domains: string[];
}

/** Either `result` or `error` is null. */
export class BulkCheckItem {
  @ApiProperty({ example: 'available.test', description: 'As in the request.' }) domain: string;
  @ApiProperty({ type: CheckView, nullable: true, description: 'The same as in the check of one name.' })
  result: CheckView | null;
  @ApiProperty({
    type: ProblemView,
    nullable: true,
    description: 'Why there is no result. An error is never a status.',
  })
  error: object | null;
}

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
