import { ApiProperty } from '@nestjs/swagger';
import { IsInstant } from '../../platform/http/validation/is-instant.js';

export class ReplayBody {
  @ApiProperty({ type: 'string', format: 'date-time', description: 'The start of the range.' })
  @IsInstant()
  from: string;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'The end of the range, included; at most 14 days later.',
  })
  @IsInstant()
  to: string;
}

export class ReplayView {
  @ApiProperty({ type: 'integer', example: 12, description: 'At most 10 000; a larger range is rejected.' })
  count: number;
}
