import { IsISO8601, registerDecorator } from 'class-validator';
import { OmitType } from '@nestjs/swagger';
import {
  SINGLE_LINE_PATTERN,
  VISIBLE_LINE,
  TextField,
  BooleanField,
  TextListField,
  ChoiceField,
  IntegerField,
  IntegerListField,
  MULTI_LINE_PATTERN,
  ObjectField,
} from '../../platform/http/validation/fields.js';
import { normalizeHostName } from '../../domains/language.js';
import {
  type ExpectedRecord,
  type EntrySettingsInput,
  MAX_TAGS,
  type Purpose,
  PURPOSES,
  type HasSettings,
  fromSettingFields,
} from '../domain/entry-settings.js';

const A_DAY = 'a day such as 2027-03-01';

const REMIND_DAYS = {
  items: { minimum: 1, maximum: 365 },
  maxItems: 10,
  uniqueItems: true,
  example: [90, 30, 7],
  description:
    'Days before the expiry at which `watchlist.expiring` is sent, in any order; independent of `expiring_window_days`, ' +
    'which sets the status. An empty list: no reminders. The default is 60, 30, 14, 7, 3 and 1.',
  optional: true,
} as const;

const RENEWAL = {
  example: { on: '2027-03-01', note: 'Invoice of the registrar.' },
  description:
    'When you have to renew. Reminders run on it where the registry publishes no expiry date; no status ever does. The ' +
    'note is part of the notification. A PATCH replaces it as a whole.',
  optional: true,
} as const;

class RenewalBody {
  @TextField({ format: 'date', pattern: '^2\\d{3}-\\d{2}-\\d{2}$', expected: A_DAY })
  @IsISO8601({ strict: true }, { message: `on must be ${A_DAY}` })
  on: string;

  /** A single line, because notifications include it. */
  @TextField({ maxLength: 200, nullable: true, ...VISIBLE_LINE, optional: true })
  note?: string | null;
}

const EXPECTED = {
  example: { nameservers: ['ns1.hoster.test', 'ns2.hoster.test'], registrar_id: '292', locked: true },
  description:
    'The expected registration record: name servers in any order, the IANA id of the registrar, and whether transfers ' +
    'are prohibited. `drift` of the entry names what differs. A PATCH replaces it as a whole.',
  optional: true,
} as const;

class ExpectedBody {
  @TextListField({ items: { minLength: 1, maxLength: 255 }, maxItems: 32, optional: true })
  @AreHostNames()
  nameservers?: string[];

  @TextField({
    pattern: '^[1-9]\\d{0,6}$',
    expected: "a number of IANA's list of registrars, as text",
    optional: true,
  })
  registrar_id?: string;

  @BooleanField({ optional: true })
  locked?: boolean;
}

/** Normalizes spelling and order as in a registration record. Returns null if no member is given. */
function toExpectedRecord({ nameservers, registrar_id, locked }: ExpectedBody): ExpectedRecord | null {
  const hosts = nameservers?.flatMap((host) => normalizeHostName(host) ?? []);
  const expected = {
    ...(hosts && { nameservers: [...new Set(hosts)].sort() }),
    ...(registrar_id !== undefined && { registrar_id }),
    ...(locked !== undefined && { locked }),
  };
  return Object.keys(expected).length === 0 ? null : expected;
}

function AreHostNames(): PropertyDecorator {
  return (target, property) =>
    registerDecorator({
      name: 'areHostNames',
      target: target.constructor,
      propertyName: String(property),
      options: { message: 'nameservers must be host names such as ns1.example.net' },
      validator: {
        validate: (hosts: unknown) =>
          Array.isArray(hosts) && hosts.every((host) => typeof host === 'string' && normalizeHostName(host) !== null),
      },
    });
}

const TAG_LENGTH = { minLength: 1, maxLength: 50 } as const;
export const TAG = { ...TAG_LENGTH, ...VISIBLE_LINE } as const;
/** A tag to search for or remove. Older tags may contain characters that a new tag may not. */
export const SOUGHT_TAG = { ...TAG_LENGTH, pattern: SINGLE_LINE_PATTERN } as const;

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
  description: 'For people: on the page of the name, and in messages about it.',
  optional: true,
} as const;
const PURPOSE = {
  enum: PURPOSES,
  example: 'own',
  description:
    'Your purpose: sets the wording of messages; `acquire` gets no expiry reminders unless `remind_days` asks for them.',
  optional: true,
} as const;

const NOTIFY_CURRENT = {
  default: false,
  example: true,
  optional: true,
} as const;

export class AddWatchBody {
  @TextField({ example: 'expiring.test', maxLength: 1_024, description: 'Domain name to monitor.' })
  domain: string;

  @IntegerField(INTERVAL) interval_minutes?: number;
  @IntegerField(WINDOW) expiring_window_days?: number;
  @BooleanField(PAUSED) paused?: boolean;
  @TextListField(TAGS) tags?: string[];
  @TextField(NOTE) note?: string;
  @ChoiceField(PURPOSE) purpose?: Purpose;
  @IntegerListField(REMIND_DAYS) remind_days?: number[];
  @ObjectField(RenewalBody, RENEWAL) renewal?: RenewalBody;
  @ObjectField(ExpectedBody, EXPECTED) expected?: ExpectedBody;

  @BooleanField({
    ...NOTIFY_CURRENT,
    description:
      'Whether channels are told what the first answer shows: that the name is available already, for example. Without it ' +
      'that is shown, and only what changes later is told.',
  })
  notify_current?: boolean;
}

/** A merge patch (RFC 7396): an omitted field keeps its value, and null clears a field. The domain never changes. */
export class ChangeWatchBody {
  @IntegerField(INTERVAL) interval_minutes?: number;
  @IntegerField(WINDOW) expiring_window_days?: number;
  @BooleanField(PAUSED) paused?: boolean;
  @TextListField({ ...TAGS, nullable: true }) tags?: string[] | null;
  @TextField({ ...NOTE, nullable: true }) note?: string | null;
  @ChoiceField(PURPOSE) purpose?: Purpose;
  @IntegerListField({ ...REMIND_DAYS, nullable: true }) remind_days?: number[] | null;
  @ObjectField(RenewalBody, { ...RENEWAL, nullable: true }) renewal?: RenewalBody | null;
  @ObjectField(ExpectedBody, { ...EXPECTED, nullable: true }) expected?: ExpectedBody | null;

  @BooleanField({
    ...NOTIFY_CURRENT,
    description:
      'Whether channels are told what is so already by what this changes: a reminder that is due, a record that is not as ' +
      'expected, or what happened while the entry was paused. Without it that is shown, and only what changes later is told.',
  })
  notify_current?: boolean;
}

/** A line of an import: the fields of a new entry that a file can have. */
export class ImportedRow extends OmitType(AddWatchBody, ['paused', 'notify_current'] as const) {}

/** Fails to compile if a setting is missing in the body of a new entry or of a change. */
type Bodies = HasSettings<Required<AddWatchBody>> | HasSettings<Required<ChangeWatchBody>>;

/** Converts a body to settings. Removes duplicate tags and sorts the reminder days. */
export function toEntrySettings(body: Partial<Bodies>): EntrySettingsInput {
  const { tags, remind_days: remindDays, renewal, expected } = body;
  return {
    ...fromSettingFields(body),
    tags: tags === undefined ? undefined : [...new Set(tags ?? [])],
    remindDays: remindDays && remindDays.toSorted((a, b) => b - a),
    expected: expected && toExpectedRecord(expected),
    renewal: renewal && { on: renewal.on, note: renewal.note ?? null },
  };
}

export const CHANGE_EXAMPLES = {
  pause: { summary: 'Pause an entry', value: { paused: true } },
  own: {
    summary: 'A name you own, with early reminders',
    value: { purpose: 'own', expiring_window_days: 60, tags: ['brand'] },
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
