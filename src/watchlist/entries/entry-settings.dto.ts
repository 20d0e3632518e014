import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { MULTI_LINE_PATTERN, SINGLE_LINE_PATTERN } from '../../platform/http/validation/text-patterns.js';
import { Optional } from '../../platform/http/validation/strict-validation.pipe.js';
import type { EntrySettingsInput } from './entry-settings.js';
import { AreRemindDays, IsRenewal, REMIND_DAYS, RENEWAL, type RenewalBody } from './reminders.dto.js';
import { EXPECTED, ExpectedBody, IsExpected, toExpectedRecord } from './expected.dto.js';
import { MAX_TAGS } from '../domain/entry-settings.js';
import { type Intent, INTENTS } from '../domain/watch-events.js';

/** PostgreSQL text allows no NUL and its JSON no lone surrogate; other control characters help no reader. */
export const TAG_PATTERN = /^[^\p{Cc}\p{Cs}]{1,50}$/u;
const NOTE_PATTERN = /^(?:[^\p{Cc}\p{Cs}]|[\n\r\t])*$/u;
const MAX_NOTE_LENGTH = 1_000;

const descriptions = {
  interval: "Longest time between two checks, in minutes; one of the plan's values. The default is the plan's.",
  window: 'Days before its expiry date from which the name is `expiring`.',
  tags: 'Labels of your own; channels can filter events by tag.',
  note: 'For people; never part of a notification.',
  intent:
    'Your purpose: sets the wording of messages; `acquire` gets no expiry reminders unless `remind_days` asks for them.',
  paused: 'While true, the entry is not checked, does not move and sends no notifications.',
};
export const TAG_SCHEMA = { type: 'string', minLength: 1, maxLength: 50, pattern: SINGLE_LINE_PATTERN } as const;
const tags = { type: 'array', items: TAG_SCHEMA, maxItems: MAX_TAGS } as const;
const IsInterval = () => applyDecorators(IsInt(), Min(1), Max(1_000_000));
const IsWindow = () => applyDecorators(IsInt(), Min(1), Max(365));
const AreTags = () => applyDecorators(IsArray(), ArrayMaxSize(MAX_TAGS), Matches(TAG_PATTERN, { each: true }));
const IsNote = () => applyDecorators(IsString(), MaxLength(MAX_NOTE_LENGTH), Matches(NOTE_PATTERN));

const properties = {
  interval: { type: 'integer', minimum: 1, maximum: 1_000_000, example: 60, description: descriptions.interval },
  window: { type: 'integer', minimum: 1, maximum: 365, example: 45, description: descriptions.window },
  paused: { type: 'boolean', example: false, description: descriptions.paused },
  tags: { ...tags, example: ['brand'], description: descriptions.tags },
  note: {
    type: 'string',
    maxLength: MAX_NOTE_LENGTH,
    pattern: MULTI_LINE_PATTERN,
    example: 'Ours until 2019.',
    description: descriptions.note,
  },
  intent: { enum: [...INTENTS], example: 'own', description: descriptions.intent },
} as const;

/** The settings of a new entry. */
export class AddWatchBody {
  @ApiProperty({ example: 'expiring.test', maxLength: 1_024, description: 'Domain name to monitor.' })
  @IsString()
  @MaxLength(1_024)
  domain: string;

  @ApiPropertyOptional(properties.interval) @Optional() @IsInterval() interval_minutes?: number;
  @ApiPropertyOptional(properties.window) @Optional() @IsWindow() expiring_window_days?: number;
  @ApiPropertyOptional(properties.paused) @Optional() @IsBoolean() paused?: boolean;
  @ApiPropertyOptional(properties.tags) @Optional() @AreTags() tags?: string[];
  @ApiPropertyOptional(properties.note) @Optional() @IsNote() note?: string;
  @ApiPropertyOptional(properties.intent) @Optional() @IsIn(INTENTS) intent?: Intent;
  @ApiPropertyOptional(REMIND_DAYS) @Optional() @AreRemindDays() remind_days?: number[];
  @ApiProperty(RENEWAL) @Optional() @IsRenewal() renewal?: RenewalBody;
  @ApiProperty(EXPECTED) @Optional() @IsExpected() expected?: ExpectedBody;
}

/** A merge patch (RFC 7396): an omitted field stays, null clears it. The domain never changes. */
export class ChangeWatchBody {
  @ApiPropertyOptional(properties.interval) @Optional() @IsInterval() interval_minutes?: number;
  @ApiPropertyOptional(properties.window) @Optional() @IsWindow() expiring_window_days?: number;
  @ApiPropertyOptional(properties.paused) @Optional() @IsBoolean() paused?: boolean;
  @ApiPropertyOptional({ ...properties.tags, nullable: true }) @IsOptional() @AreTags() tags?: string[] | null;
  @ApiPropertyOptional({ ...properties.note, nullable: true }) @IsOptional() @IsNote() note?: string | null;
  @ApiPropertyOptional(properties.intent) @Optional() @IsIn(INTENTS) intent?: Intent;
  @ApiPropertyOptional({ ...REMIND_DAYS, nullable: true }) @IsOptional() @AreRemindDays() remind_days?: number[] | null;
  @ApiProperty({ ...RENEWAL, nullable: true }) @IsOptional() @IsRenewal() renewal?: RenewalBody | null;
  @ApiProperty({ ...EXPECTED, nullable: true }) @IsOptional() @IsExpected() expected?: ExpectedBody | null;
}

/** A line of an import: a new entry, without the fields that a file does not have. */
export class ImportedRow extends OmitType(AddWatchBody, ['paused'] as const) {}

/** Duplicate tags are dropped. */
export function toEntrySettings(body: Omit<AddWatchBody, 'domain'> | ChangeWatchBody): EntrySettingsInput {
  return {
    intervalMinutes: body.interval_minutes,
    expiringWindowDays: body.expiring_window_days,
    paused: body.paused,
    tags: body.tags === undefined ? undefined : [...new Set(body.tags ?? [])],
    note: body.note,
    intent: body.intent,
    remindDays: body.remind_days && body.remind_days.toSorted((a, b) => b - a),
    expected: body.expected && toExpectedRecord(body.expected),
    renewal: body.renewal && { on: body.renewal.on, note: body.renewal.note ?? null },
  };
}

export const CHANGE_EXAMPLES = {
  pause: { summary: 'Pause an entry', value: { paused: true } },
  own: {
    summary: 'A name you own, with early reminders',
    value: { intent: 'own', expiring_window_days: 60, tags: ['brand'] },
  },
  expected: {
    summary: 'Where a name you own should be',
    value: { expected: { nameservers: ['ns1.hoster.test', 'ns2.hoster.test'], locked: true } },
  },
  reminders: {
    summary: 'Reminders of your own, by a date that no registry publishes',
    value: { remind_days: [90, 30, 7], renewal: { on: '2027-03-01', note: 'Invoice of the registrar.' } },
  },
};
