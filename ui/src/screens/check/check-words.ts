import type { Problem } from '../../../../clients/typescript/src/index.js';
import type { CheckedName } from './check-run.js';

/** Explains why it is unknown whether a name is free. Other reasons use the problem's own words. */
const REASONS: Readonly<Record<string, string>> = {
  registry_timeout: 'The registry did not answer in time.',
  registry_unreachable: 'The registry cannot be reached.',
  registry_throttled: 'The registry does not let us ask more often.',
};

export function problemText({ code, detail, title }: Problem): string {
  return REASONS[code] ?? (detail === '' ? title : detail);
}

/** Filters of the list by answer. */
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

/** Whether the name can be added: a registry could have it, and the account does not watch it. */
export function isWatchable({ answer, entryId }: CheckedName): boolean {
  return entryId === null && (answer.kind === 'answered' || answer.kind === 'unknown');
}
