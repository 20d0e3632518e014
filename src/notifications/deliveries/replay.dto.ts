import { ApiProperty } from '@nestjs/swagger';
import { InstantField } from '../../platform/http/validation/fields.js';

export class ReplayBody {
  @InstantField({ description: 'The start of the range.' })
  from: string;

  @InstantField({ description: 'The end of the range, included; at most 14 days later.' })
  to: string;
}

export class ReplayView {
  @ApiProperty({ type: 'integer', example: 12, description: 'At most 10 000; a larger range is rejected.' })
  count: number;
}
