import type { Plan } from '../../auth/language.js';
import type { WatchConfig } from '../../config/sections.js';
import type { EntrySettings } from '../domain/entry-settings.js';

/** Settings as requested; an omitted one keeps its value, or gets the default of plan and configuration. */
export type EntrySettingsInput = { readonly [Wish in keyof EntrySettings]?: EntrySettings[Wish] | undefined };

/**
 * The complete settings of a new entry.
 * @throws IntervalNotAllowed
 */
export function withDefaults(
  input: EntrySettingsInput,
  plan: Plan,
  { expiringWindowDays }: WatchConfig,
): EntrySettings {
  const reminders = { remindDays: null, renewal: null, expected: null };
  const defaults = {
    expiringWindowDays,
    paused: false,
    tags: [],
    note: null,
    intent: 'monitor',
    ...reminders,
  } as const;
  return { ...defaults, ...omitUndefined(input), intervalMinutes: plan.resolveInterval(input.intervalMinutes) };
}

export function omitUndefined(input: EntrySettingsInput): Partial<EntrySettings> {
  return Object.fromEntries(Object.entries(input).filter(([, wish]) => wish !== undefined));
}
