import type { ChangeManyBody } from '../../../../clients/typescript/src/index.js';
import { PURPOSES } from '../../components/purpose-words.js';
import { describeInterval } from './interval-words.js';

type Words = { readonly [Field in keyof ChangeManyBody]-?: (value: NonNullable<ChangeManyBody[Field]>) => string };

const WORDS: Partial<Words> = {
  interval_minutes: (minutes) => `check ${describeInterval(minutes)}`,
  purpose: (purpose) => `purpose “${PURPOSES[purpose]}”`,
  paused: (isPaused) => (isPaused ? 'pause checks' : 'resume checks'),
  add_tags: (tags) => `+ ${tags.join(', ')}`,
  remove_tags: (tags) => `− ${tags.join(', ')}`,
  note: (note) => `note “${note}”`,
  expiring_window_days: (days) => `“expiring” ${days} days before the expiry`,
  remind_days: (days) => (days.length === 0 ? 'no reminders' : `reminders ${days.join(', ')} days before`),
  renewal: ({ on }) => `renewal on ${on}`,
  expected: () => 'expected values',
  expect_current: () => 'expected values as the registry says now',
};
const EMPTIED: Partial<Readonly<Record<keyof ChangeManyBody, string>>> = {
  note: 'no note',
  remind_days: 'the usual reminders',
  renewal: 'no renewal date',
  expected: 'no expected values',
};

/** Describes a change of many names in a few words, such as `check every hour, + vip`. */
export function describeChange(change: ChangeManyBody): string {
  const parts = (Object.keys(change) as (keyof ChangeManyBody)[]).flatMap((field) => {
    const value = change[field];
    if (value === undefined) return [];
    if (value === null) return EMPTIED[field] ?? [];
    return (WORDS[field] as ((value: unknown) => string) | undefined)?.(value) ?? [];
  });
  return parts.join(', ');
}
