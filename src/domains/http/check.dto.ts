import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, MaxLength } from 'class-validator';
import { QueryInteger } from '../../platform/http/validation.js';

const STATUSES = ['available', 'registered', 'expiring', 'pending_delete', 'reserved'] as const;

export class CheckQuery {
  @ApiProperty({ example: 'available.test', maxLength: 1_024, description: 'Fully qualified domain name.' })
  @IsString()
  @MaxLength(1_024)
  domain: string;

  @ApiPropertyOptional({
    minimum: 0,
    maximum: 86_400,
    description: 'Oldest acceptable answer, in seconds; 0 asks live.',
  })
  @IsOptional()
  @QueryInteger(0, 86_400)
  max_age?: number;
}

export class CheckView {
  @ApiProperty({ example: 'available.test', description: 'The domain that was checked, as its A-label.' })
  domain: string;

  @ApiProperty({ example: true, description: 'True when the domain can be registered.' })
  available: boolean;

  @ApiProperty({ enum: STATUSES, example: 'available' })
  status: (typeof STATUSES)[number];

  @ApiProperty({
    ...{ type: 'string', format: 'date-time', nullable: true, example: null },
    description: "The registry's expiry; null when it publishes none or the name is free. Never guessed.",
  })
  expires_at: string | null;

  @ApiProperty({ type: 'string', format: 'date-time', example: '2026-11-21T02:00:00.000Z' })
  checked_at: string;
}
