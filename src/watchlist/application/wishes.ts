import type { Plan } from '../../auth/language.js';
import type { Config } from '../../config/config.js';
import type { WatchWishes } from '../domain/watch-entry.js';

/** What a watcher asks for; what is left out stays as it is, or begins as the plan and the settings have it. */
export type Wishes = { readonly [Wish in keyof WatchWishes]?: WatchWishes[Wish] | undefined };

/**
 * The wishes of a new entry, whole.
 * @throws IntervalNotAllowed
 */
export function wholeWishes(asked: Wishes, plan: Plan, { watch }: Config): WatchWishes {
  const { expiringWindowDays } = watch;
  const usual = { expiringWindowDays, paused: false, tags: [], note: null, intent: 'monitor' } as const;
  return { ...usual, ...told(asked), intervalMinutes: plan.resolveInterval(asked.intervalMinutes) };
}

export function told(wishes: Wishes): Partial<WatchWishes> {
  return Object.fromEntries(Object.entries(wishes).filter(([, wish]) => wish !== undefined));
}
