import type { Plan } from '../../../auth/language.js';
import type { WatchConfig } from '../../../config/sections.js';
import type { EntrySettings } from '../../domain/entry/entry-settings.js';

/** What a watcher asks for; what is left out stays as it is, or begins as the plan and the settings have it. */
export type EntrySettingsInput = { readonly [Wish in keyof EntrySettings]?: EntrySettings[Wish] | undefined };

/**
 * The wishes of a new entry, whole.
 * @throws IntervalNotAllowed
 */
export function withDefaults(input: EntrySettingsInput, plan: Plan, { watch }: WatchConfig): EntrySettings {
  const { expiringWindowDays } = watch;
  const defaults = { expiringWindowDays, paused: false, tags: [], note: null, intent: 'monitor' } as const;
  return { ...defaults, ...omitUndefined(input), intervalMinutes: plan.resolveInterval(input.intervalMinutes) };
}

export function omitUndefined(input: EntrySettingsInput): Partial<EntrySettings> {
  return Object.fromEntries(Object.entries(input).filter(([, wish]) => wish !== undefined));
}
