import type { Plan } from '../../../auth/language.js';
import type { WatchConfig } from '../../../config/sections.js';
import type { EntrySettings } from '../../domain/entry/entry-settings.js';

/** What a watcher asks for; what is left out stays as it is, or begins as the plan and the settings have it. */
export type EntrySettingsInput = { readonly [Wish in keyof EntrySettings]?: EntrySettings[Wish] | undefined };

/**
 * The wishes of a new entry, whole.
 * @throws IntervalNotAllowed
 */
export function withDefaults(asked: EntrySettingsInput, plan: Plan, { watch }: WatchConfig): EntrySettings {
  const { expiringWindowDays } = watch;
  const usual = { expiringWindowDays, paused: false, tags: [], note: null, intent: 'monitor' } as const;
  return { ...usual, ...omitUndefined(asked), intervalMinutes: plan.resolveInterval(asked.intervalMinutes) };
}

export function omitUndefined(wishes: EntrySettingsInput): Partial<EntrySettings> {
  return Object.fromEntries(Object.entries(wishes).filter(([, wish]) => wish !== undefined));
}
