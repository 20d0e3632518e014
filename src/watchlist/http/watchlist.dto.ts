import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { ENTRY_STATUSES, type EntryStatus } from '../../domains/language.js';
import { QueryInteger } from '../../platform/http/validation.js';

export class AddWatchBody {
  @ApiProperty({ example: 'expiring.test', maxLength: 1_024, description: 'Domain name to monitor.' })
  @IsString()
  @MaxLength(1_024)
  domain: string;

  @ApiPropertyOptional({ example: 60, description: 'Largest gap between two looks, in minutes; a value of the plan.' })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(1_000_000)
  interval_minutes?: number;
}

export class ListQuery {
  @ApiPropertyOptional({ enum: ENTRY_STATUSES, description: 'Only entries of this status.' })
  @IsOptional()
  @IsIn(ENTRY_STATUSES)
  status?: EntryStatus;

  @ApiPropertyOptional({ default: 1, minimum: 1, maximum: 1_000_000 })
  @QueryInteger(1, 1_000_000)
  page: number = 1;

  @ApiPropertyOptional({ default: 20, minimum: 1, maximum: 100 })
  @QueryInteger(1, 100)
  per_page: number = 20;
}

const UTC = { type: 'string', format: 'date-time', example: '2026-11-21T02:00:00.000Z' } as const;

export class CreatedEntryView {
  @ApiProperty({ example: 'wl_01jd6z0v8q3m4n5p6r7s8t9vwx' }) id: string;
  @ApiProperty({ example: 'expiring.test' }) domain: string;
  @ApiProperty({ enum: ENTRY_STATUSES, example: 'registered' }) status: EntryStatus;
  @ApiProperty({ example: 60 }) interval_minutes: number;
  @ApiProperty(UTC) created_at: string;
}

export class ListedEntryView extends CreatedEntryView {
  @ApiProperty({ ...UTC, nullable: true, description: 'null before the first look.' })
  last_checked_at: string | null;
}

export class PageMeta {
  @ApiProperty({ example: 1 }) page: number;
  @ApiProperty({ example: 20 }) per_page: number;
  @ApiProperty({ example: 1, description: 'Matching entries in all.' }) total: number;
}

export class WatchlistView {
  @ApiProperty({ type: [ListedEntryView] }) data: ListedEntryView[];
  @ApiProperty({ type: PageMeta }) meta: PageMeta;
}
