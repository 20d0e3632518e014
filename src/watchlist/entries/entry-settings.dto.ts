import { OmitType } from '@nestjs/swagger';
import {
  BooleanField,
  ChoiceField,
  IntegerField,
  IntegerListField,
  MULTI_LINE_PATTERN,
  ObjectField,
  SINGLE_LINE_PATTERN,
  TextField,
  TextListField,
} from '../../platform/http/validation/fields.js';
import type { EntrySettingsInput } from './entry-settings.js';
import { REMIND_DAYS, RENEWAL, RenewalBody } from './reminders.dto.js';
import { EXPECTED, ExpectedBody, toExpectedRecord } from './expected.dto.js';
import { MAX_TAGS, type Intent, INTENTS } from '../domain/entry-settings.js';

/** The limits of one tag. */
export const TAG = { minLength: 1, maxLength: 50, pattern: SINGLE_LINE_PATTERN } as const;

const INTERVAL = {
  minimum: 1,
  maximum: 1_000_000,
  example: 60,
  description: "Longest time between two checks, in minutes; one of the plan's values. The default is the plan's.",
  optional: true,
} as const;
const WINDOW = {
  minimum: 1,
  maximum: 365,
  example: 45,
  description: 'Days before its expiry date from which the name is `expiring`.',
  optional: true,
} as const;
const PAUSED = {
  example: false,
  description: 'While true, the entry is not checked, does not move and sends no notifications.',
  optional: true,
} as const;
const TAGS = {
  items: TAG,
  maxItems: MAX_TAGS,
  example: ['brand'],
  description: 'Labels of your own; channels can filter events by tag.',
  optional: true,
} as const;
const NOTE = {
  maxLength: 1_000,
  pattern: MULTI_LINE_PATTERN,
  example: 'Ours until 2019.',
  description: 'For people; never part of a notification.',
  optional: true,
} as const;
const INTENT = {
  enum: INTENTS,
  example: 'own',
  description:
    'Your purpose: sets the wording of messages; `acquire` gets no expiry reminders unless `remind_days` asks for them.',
  optional: true,
} as const;

/** The settings of a new entry. */
export class AddWatchBody {
  @TextField({ example: 'expiring.test', maxLength: 1_024, description: 'Domain name to monitor.' })
  domain: string;

  @IntegerField(INTERVAL) interval_minutes?: number;
  @IntegerField(WINDOW) expiring_window_days?: number;
  @BooleanField(PAUSED) paused?: boolean;
  @TextListField(TAGS) tags?: string[];
  @TextField(NOTE) note?: string;
  @ChoiceField(INTENT) intent?: Intent;
  @IntegerListField(REMIND_DAYS) remind_days?: number[];
  @ObjectField(RenewalBody, RENEWAL) renewal?: RenewalBody;
  @ObjectField(ExpectedBody, EXPECTED) expected?: ExpectedBody;
}

/** A merge patch (RFC 7396): an omitted field stays, null clears it. The domain never changes. */
export class ChangeWatchBody {
  @IntegerField(INTERVAL) interval_minutes?: number;
  @IntegerField(WINDOW) expiring_window_days?: number;
  @BooleanField(PAUSED) paused?: boolean;
  @TextListField({ ...TAGS, nullable: true }) tags?: string[] | null;
  @TextField({ ...NOTE, nullable: true }) note?: string | null;
  @ChoiceField(INTENT) intent?: Intent;
  @IntegerListField({ ...REMIND_DAYS, nullable: true }) remind_days?: number[] | null;
  @ObjectField(RenewalBody, { ...RENEWAL, nullable: true }) renewal?: RenewalBody | null;
  @ObjectField(ExpectedBody, { ...EXPECTED, nullable: true }) expected?: ExpectedBody | null;
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
