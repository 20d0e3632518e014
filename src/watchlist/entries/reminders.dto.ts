import { applyDecorators } from '@nestjs/common';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsInt,
  IsISO8601,
  IsObject,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { SINGLE_LINE_PATTERN } from '../../platform/http/validation/text-patterns.js';

const MAX_REMINDERS = 10;
const MAX_DAYS = 365;
const MAX_NOTE_LENGTH = 200;
const DAY = /^2\d{3}-\d{2}-\d{2}$/;
/** One line: it is part of notifications. */
const NOTE = /^[^\p{Cc}\p{Cs}]*$/u;

export const REMIND_DAYS = {
  type: 'array',
  items: { type: 'integer', minimum: 1, maximum: MAX_DAYS },
  maxItems: MAX_REMINDERS,
  uniqueItems: true,
  example: [90, 30, 7],
  description:
    'Days before the expiry at which `watchlist.expiring` is sent, in any order; independent of `expiring_window_days`, ' +
    'which sets the status. An empty list: no reminders. The default is 60, 30, 14, 7, 3 and 1.',
} as const;

export const RENEWAL = {
  type: 'object' as const,
  properties: {
    on: { type: 'string' as const, format: 'date', pattern: DAY.source },
    note: { type: 'string' as const, maxLength: MAX_NOTE_LENGTH, nullable: true, pattern: SINGLE_LINE_PATTERN },
  },
  required: ['on'],
  selfRequired: false,
  additionalProperties: false,
  example: { on: '2027-03-01', note: 'Invoice of the registrar.' },
  description:
    'When you have to renew. Reminders run on it where the registry publishes no expiry date; no status ever does. The ' +
    'note is part of the notification. A PATCH replaces it as a whole.',
};

export class RenewalBody {
  @IsString()
  @Matches(DAY, { message: 'on must be a day such as 2027-03-01' })
  @IsISO8601({ strict: true }, { message: 'on must be a day such as 2027-03-01' })
  on: string;

  @IsOptional()
  @IsString()
  @MaxLength(MAX_NOTE_LENGTH)
  @Matches(NOTE)
  note?: string | null;
}

export const AreRemindDays = () =>
  applyDecorators(
    IsArray(),
    ArrayMaxSize(MAX_REMINDERS),
    ArrayUnique(),
    IsInt({ each: true }),
    Min(1, { each: true }),
    Max(MAX_DAYS, { each: true }),
  );

export const IsRenewal = () =>
  applyDecorators(
    IsObject(),
    ValidateNested(),
    Type(() => RenewalBody),
  );
