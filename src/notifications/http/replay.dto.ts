import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsISO8601, Matches } from 'class-validator';

/** With its offset: an instant without one would be read in the time of whatever machine reads it. */
const OFFSET = /^\d{4}-\d{2}-\d{2}T.+(Z|[+-]\d{2}:\d{2})$/;
const message = '$property must be an instant such as 2026-11-21T02:00:00Z';
const Instant = () => applyDecorators(IsISO8601({ strict: true }, { message }), Matches(OFFSET, { message }));

export class ReplayBody {
  @ApiProperty({ type: 'string', format: 'date-time', description: 'The first instant of the range.' })
  @Instant()
  from: string;

  @ApiProperty({ type: 'string', format: 'date-time', description: 'The last one, at most 14 days later.' })
  @Instant()
  to: string;
}

export class ReplayView {
  @ApiProperty({ type: 'integer', example: 12, description: 'At most 10 000; a range that holds more is refused.' })
  count: number;
}
