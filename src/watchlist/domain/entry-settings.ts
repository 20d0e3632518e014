import { type DomainName, EXPIRING_WINDOW_DAYS } from '../../domains/language.js';
import type { Plan } from '../../auth/language.js';

/**
 * Why the watcher follows the name. It selects the wording of messages and whether reminders are sent, never a status.
 */
export const PURPOSES = ['own', 'acquire', 'monitor'] as const;
export type Purpose = (typeof PURPOSES)[number];

/** A date that the watcher gave, at the start of its day in UTC. */
export interface Renewal {
  /** `YYYY-MM-DD` */
  readonly on: string;
  readonly note: string | null;
}

/** The registration record that the watcher expects; a missing member may be anything. */
export interface ExpectedRecord {
  /** Host names in A-labels, sorted; empty: none. */
  readonly nameservers?: readonly string[];
  /** The IANA id of the registrar. */
  readonly registrar_id?: string;
  /** Whether transfers are prohibited. */
  readonly locked?: boolean;
}

export const EXPECTED_MEMBERS = ['nameservers', 'registrar_id', 'locked'] as const;
export type ExpectedMember = (typeof EXPECTED_MEMBERS)[number];

export const MAX_TAGS = 20;

/** The choices of a watcher. */
export interface EntrySettings {
  readonly intervalMinutes: number;
  readonly expiringWindowDays: number;
  readonly paused: boolean;
  readonly tags: readonly string[];
  readonly note: string | null;
  readonly purpose: Purpose;
  /** Days before the expiry, descending; null: the default ones. */
  readonly remindDays: readonly number[] | null;
  /** When the watcher has to renew, for a name whose registry publishes no expiry. It moves no status. */
  readonly renewal: Renewal | null;
  /** The expected registration record; null: anything. It moves no status. */
  readonly expected: ExpectedRecord | null;
}

export interface NewWatch extends EntrySettings {
  readonly accountId: string;
  readonly domain: DomainName;
  readonly importId?: string;
  /** Whether what is so already is told; false where it is left out. */
  readonly notifyCurrent?: boolean;
}

interface SettingRow<Value> {
  /** Its name in the API and in files; the ORM calls the column so too. */
  readonly field: string;
  /** The value that an entry has unless its watcher chose another; without one, plan or configuration decide. */
  readonly initial?: Value;
  /** The members of an object: in CSV files and in the audit trail each is a value of its own, `renewal_on`. */
  readonly members?: readonly (keyof NonNullable<Value>)[];
}

/**
 * The settings in the order in which they are shown. From here come the columns that are read, ETags,
 * what a sync compares, and what the audit trail records; the compiler checks requests, views and CSV cells against it.
 */
export const ENTRY_SETTINGS = {
  intervalMinutes: { field: 'interval_minutes' },
  expiringWindowDays: { field: 'expiring_window_days', initial: EXPIRING_WINDOW_DAYS },
  paused: { field: 'paused', initial: false },
  tags: { field: 'tags', initial: [] },
  note: { field: 'note', initial: null },
  purpose: { field: 'purpose', initial: 'monitor' },
  remindDays: { field: 'remind_days', initial: null },
  renewal: { field: 'renewal', initial: null, members: ['on', 'note'] },
  expected: { field: 'expected', initial: null, members: EXPECTED_MEMBERS },
} as const satisfies { readonly [Key in keyof EntrySettings]: SettingRow<EntrySettings[Key]> };

export type SettingKey = keyof EntrySettings;
export const SETTING_KEYS = Object.keys(ENTRY_SETTINGS) as SettingKey[];

type Row<Key extends SettingKey> = (typeof ENTRY_SETTINGS)[Key];
export type SettingField = Row<SettingKey>['field'];
/** Settings by their names in the API. */
export type SettingFields = { readonly [Key in SettingKey as Row<Key>['field']]: EntrySettings[Key] };
/** The type of a class that has a property for each setting, by its name in the API. */
export type HasSettings<Class extends Record<SettingField, unknown>> = Class;

export function toSettingFields(settings: EntrySettings): SettingFields {
  return Object.fromEntries(SETTING_KEYS.map((key) => [ENTRY_SETTINGS[key].field, settings[key]])) as SettingFields;
}

/** Returns what a request or a line of a file says, by the names of the code; undefined where it says nothing. */
export function fromSettingFields(fields: { readonly [Field in SettingField]?: unknown }): EntrySettingsInput {
  return Object.fromEntries(SETTING_KEYS.map((key) => [key, fields[ENTRY_SETTINGS[key].field]]));
}

/** A setting, or a member of one, with a name of its own: `remind_days`, `renewal_on`. */
export type FlatField = {
  [Key in SettingKey]: Row<Key> extends { readonly members: readonly (infer Member extends string)[] }
    ? `${Row<Key>['field']}_${Member}`
    : Row<Key>['field'];
}[SettingKey];

interface FlatFieldSource {
  readonly name: FlatField;
  readonly field: SettingField;
  /** null: the setting itself. */
  readonly member: string | null;
}

export const FLAT_FIELDS = SETTING_KEYS.flatMap((key): readonly FlatFieldSource[] => {
  const row: { readonly field: SettingField; readonly members?: readonly string[] } = ENTRY_SETTINGS[key];
  const { field, members } = row;
  const parts = members?.map((member) => ({ name: `${field}_${member}` as FlatField, field, member }));
  return parts ?? [{ name: field as FlatField, field, member: null }];
});

export function flattenSettings(fields: Partial<SettingFields>): Record<FlatField, unknown> {
  const values = FLAT_FIELDS.map(({ name, field, member }) => {
    const value = fields[field] as Readonly<Record<string, unknown>> | null | undefined;
    return [name, (member === null ? value : value?.[member]) ?? null];
  });
  return Object.fromEntries(values) as Record<FlatField, unknown>;
}

/** Settings as requested; an omitted one keeps its value, or gets its default. */
export type EntrySettingsInput = { readonly [Key in SettingKey]?: EntrySettings[Key] | undefined };

export const INITIAL_SETTINGS = Object.fromEntries(
  SETTING_KEYS.flatMap((key) => {
    const row = ENTRY_SETTINGS[key];
    return 'initial' in row ? [[key, row.initial]] : [];
  }),
) as unknown as Omit<EntrySettings, 'intervalMinutes'>;

/**
 * Returns the complete settings of a new entry.
 * @throws IntervalNotAllowed
 */
export function withDefaults(input: EntrySettingsInput, plan: Plan): EntrySettings {
  const intervalMinutes = plan.resolveInterval(input.intervalMinutes);
  return { ...INITIAL_SETTINGS, ...omitUndefined(input), intervalMinutes };
}

/** Returns those of the desired settings in which the entry differs. */
export function findDifferences(entry: EntrySettings, desired: Partial<EntrySettings>): SettingKey[] {
  return SETTING_KEYS.filter(
    (key) => desired[key] !== undefined && toComparable(key, entry) !== toComparable(key, desired),
  );
}

/** The order of tags says nothing. */
function toComparable(key: SettingKey, settings: Partial<EntrySettings>): string {
  return JSON.stringify(key === 'tags' ? settings.tags?.toSorted() : settings[key]);
}

/**
 * An interval that another plan allowed stays allowed until it is changed.
 * @throws IntervalNotAllowed
 */
export function requireAllowedInterval(
  plan: Plan,
  entry: EntrySettings,
  { intervalMinutes }: EntrySettingsInput,
): void {
  if (intervalMinutes !== undefined && intervalMinutes !== entry.intervalMinutes) plan.resolveInterval(intervalMinutes);
}

export function omitUndefined(input: EntrySettingsInput): Partial<EntrySettings> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}
