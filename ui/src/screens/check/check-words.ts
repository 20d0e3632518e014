import type { Problem } from '../../../../clients/typescript/src/index.js';
import type { CheckedName } from './check-run.js';

/** Why it is not known whether a name is free; the problem's own words where a registry's answer was not usable. */
const REASONS: Readonly<Record<string, string>> = {
  registry_timeout: 'The registry did not answer in time.',
  registry_unreachable: 'The registry cannot be reached.',
  registry_throttled: 'The registry does not let us ask more often.',
};

export function problemText({ code, detail, title }: Problem): string {
  return REASONS[code] ?? (detail === '' ? title : detail);
}

/** Filters of the list, by the answer about a name. */
export const FILTERS = [
  { key: 'all', label: 'All', has: () => true },
  { key: 'available', label: 'Available', has: ({ answer }) => answer.kind === 'answered' && answer.check.available },
  { key: 'taken', label: 'Not available', has: ({ answer }) => answer.kind === 'answered' && !answer.check.available },
  { key: 'unknown', label: 'No answer', has: ({ answer }) => answer.kind === 'unknown' },
  { key: 'refused', label: 'Not a name', has: ({ answer }) => answer.kind === 'refused' },
  { key: 'watched', label: 'Watched', has: ({ entryId }) => entryId !== null },
] as const satisfies readonly {
  readonly key: string;
  readonly label: string;
  readonly has: (name: CheckedName) => boolean;
}[];

export type FilterKey = (typeof FILTERS)[number]['key'];

/** Whether watching it makes sense: a registry could have it, and the account does not watch it. */
export function isWatchable({ answer, entryId }: CheckedName): boolean {
  return entryId === null && (answer.kind === 'answered' || answer.kind === 'unknown');
}
