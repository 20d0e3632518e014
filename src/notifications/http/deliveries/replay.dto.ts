import { ApiProperty } from '@nestjs/swagger';
import { ValidateBy } from 'class-validator';
import { parseInstant } from '../../../kernel/instant.js';

const Instant = () =>
  ValidateBy(
    {
      name: 'isIso8601',
      validator: { validate: (value) => typeof value === 'string' && parseInstant(value) !== null },
    },
    { message: '$property must be an instant such as 2026-11-21T02:00:00Z' },
  );

export class ReplayBody {
  @ApiProperty({ type: 'string', format: 'date-time', description: 'The start of the range.' })
  @Instant()
  from: string;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'The end of the range, included; at most 14 days later.',
  })
  @Instant()
  to: string;
}

export class ReplayView {
  @ApiProperty({ type: 'integer', example: 12, description: 'At most 10 000; a larger range is rejected.' })
  count: number;
}
