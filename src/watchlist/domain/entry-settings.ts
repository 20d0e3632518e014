import { type DomainName, EXPIRING_WINDOW_DAYS } from '../../domains/language.js';
import type { Plan } from '../../auth/language.js';

/** Why the watcher follows the name. The purpose changes the wording of messages and the reminders, never a status. */
export const PURPOSES = ['own', 'acquire', 'monitor'] as const;
export type Purpose = (typeof PURPOSES)[number];

/** The date by which the account wants to renew the name. The day begins at midnight UTC. */
export interface Renewal {
  /** `YYYY-MM-DD` */
  readonly on: string;
  readonly note: string | null;
}

/** The registration record that the watcher expects. A member that is missing may have any value. */
export interface ExpectedRecord {
  /** Host names in A-labels, sorted. An empty list means that the name must have no name servers. */
  readonly nameservers?: readonly string[];
  readonly registrar_id?: string;
  readonly locked?: boolean;
}

export const EXPECTED_MEMBERS = ['nameservers', 'registrar_id', 'locked'] as const;
export type ExpectedMember = (typeof EXPECTED_MEMBERS)[number];

export const MAX_TAGS = 20;

export interface EntrySettings {
  readonly intervalMinutes: number;
  readonly expiringWindowDays: number;
  readonly paused: boolean;
  readonly tags: readonly string[];
  readonly note: string | null;
  readonly purpose: Purpose;
  /** How many days before the expiry reminders are sent, in descending order; null means the default days. */
  readonly remindDays: readonly number[] | null;
  /**
   * The watcher's own renewal date, for a name whose registry publishes no expiry. This date never changes the status.
   */
  readonly renewal: Renewal | null;
  readonly expected: ExpectedRecord | null;
}

export interface NewWatch extends EntrySettings {
  readonly accountId: string;
  readonly domain: DomainName;
  readonly importId?: string;
  /** Whether the watcher is notified of the current state even if nothing has changed. Defaults to false. */
  readonly notifyCurrent?: boolean;
}

interface SettingRow<Value> {
  readonly field: string;
  /** The default value. For a setting without a default, the plan decides. */
  readonly initial?: Value;
  /** The members of an object setting. CSV files and the audit trail show each separately, such as `renewal_on`. */
  readonly members?: readonly (keyof NonNullable<Value>)[];
}

/** The settings in display order. The columns, ETags, import comparisons and audit records follow from this list. */
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
export type SettingFields = { readonly [Key in SettingKey as Row<Key>['field']]: EntrySettings[Key] };
/** Fails to compile if a class lacks the property of a setting. */
export type HasSettings<Class extends Record<SettingField, unknown>> = Class;

export function toSettingFields(settings: EntrySettings): SettingFields;
export function toSettingFields(settings: EntrySettingsInput): Partial<SettingFields>;
export function toSettingFields(settings: EntrySettingsInput): Partial<SettingFields> {
  return Object.fromEntries(SETTING_KEYS.map((key) => [ENTRY_SETTINGS[key].field, settings[key]]));
}

/** Returns the settings of a request or of a file's line. A setting that is not given is undefined. */
export function fromSettingFields(fields: { readonly [Field in SettingField]?: unknown }): EntrySettingsInput {
  return Object.fromEntries(SETTING_KEYS.map((key) => [key, fields[ENTRY_SETTINGS[key].field]]));
}

/** The name of a setting, or of a member of an object setting, such as `renewal_on`. */
export type FlatField = {
  [Key in SettingKey]: Row<Key> extends { readonly members: readonly (infer Member extends string)[] }
    ? `${Row<Key>['field']}_${Member}`
    : Row<Key>['field'];
}[SettingKey];

interface FlatFieldSource {
  readonly name: FlatField;
  readonly field: SettingField;
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

/** A setting that is left out keeps its value, or gets its default in a new entry. */
export type EntrySettingsInput = { readonly [Key in SettingKey]?: EntrySettings[Key] | undefined };

export const INITIAL_SETTINGS = Object.fromEntries(
  SETTING_KEYS.flatMap((key) => {
    const row = ENTRY_SETTINGS[key];
    return 'initial' in row ? [[key, row.initial]] : [];
  }),
) as unknown as Omit<EntrySettings, 'intervalMinutes'>;

/** Returns the complete settings of a new entry. @throws IntervalNotAllowed if the plan does not allow the interval */
export function withDefaults(input: EntrySettingsInput, plan: Plan): EntrySettings {
  const intervalMinutes = plan.resolveInterval(input.intervalMinutes);
  return { ...INITIAL_SETTINGS, ...omitUndefined(input), intervalMinutes };
}

export function findDifferences(entry: EntrySettings, desired: Partial<EntrySettings>): SettingKey[] {
  return SETTING_KEYS.filter(
    (key) => desired[key] !== undefined && toComparable(key, entry) !== toComparable(key, desired),
  );
}

/** Makes a text by which two values of a setting can be compared. Ignores the order of tags. */
function toComparable(key: SettingKey, settings: Partial<EntrySettings>): string {
  return JSON.stringify(key === 'tags' ? settings.tags?.toSorted() : settings[key]);
}

/**
 * Refuses a new interval that the plan does not allow. An unchanged interval is always allowed.
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
