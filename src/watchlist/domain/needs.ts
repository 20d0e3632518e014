import type { EntryStatus, LifecyclePhase } from '../../domains/language.js';
import { after, DAY } from '../../kernel/clock.js';
import type { EntryFilters } from './entry-filters.js';
import type { Purpose } from './entry-settings.js';

export interface NeedyEntry {
  readonly status: EntryStatus;
  readonly phase: LifecyclePhase;
  readonly purpose: Purpose;
  readonly expiresAt: Date | null;
  readonly paused: boolean;
  readonly failing: boolean;
  readonly answered: boolean;
  readonly drift: boolean;
}

type Condition = Pick<EntryFilters, 'status' | 'phase' | 'purpose' | 'failing' | 'answered' | 'drift'> & {
  readonly expiresWithinDays?: number;
};

/** Why an entry needs action, worst first, as list filters. Paused entries need no action. */
const NEEDS = {
  lost: { status: 'available', purpose: 'own' },
  about_to_be_deleted: { phase: 'pending_delete', purpose: 'own' },
  available_and_wanted: { status: 'available', purpose: 'acquire' },
  in_redemption: { phase: 'redemption' },
  in_grace: { phase: 'expired_grace' },
  expires_within_30_days: { expiresWithinDays: 30 },
  not_as_expected: { drift: true },
  failing: { failing: true },
  never_answered: { answered: false },
} as const satisfies Readonly<Record<string, Condition>>;
export type Need = keyof typeof NEEDS;
export const NEED_NAMES = Object.keys(NEEDS) as readonly Need[];

/** Returns the list filters that find the entries with this need for action. */
export function toFilters(need: Need, now: Date): Omit<EntryFilters, 'accountId'> {
  const { expiresWithinDays: days, ...filters }: Condition = NEEDS[need];
  return { paused: false, ...filters, ...(days !== undefined && { expires: [now, after(now, days * DAY)] }) };
}

export function needsOf(entry: NeedyEntry, now: Date): readonly Need[] {
  if (entry.paused) return [];
  return NEED_NAMES.filter((need) => {
    const { expiresWithinDays: days, ...filters }: Condition = NEEDS[need];
    const isNear = days === undefined || isWithin(entry.expiresAt, now, after(now, days * DAY));
    return isNear && (Object.keys(filters) as (keyof typeof filters)[]).every((key) => entry[key] === filters[key]);
  });
}

function isWithin(at: Date | null, from: Date, to: Date): boolean {
  return at !== null && at >= from && at <= to;
}
