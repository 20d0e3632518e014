import { pluralize } from '../terminal/table.js';

/** A line of the service's answer about one name. */
export interface SyncRow {
  /** null for an entry that the file does not name. */
  readonly line: number | null;
  readonly domain: string | null;
  readonly outcome: 'created' | 'changed' | 'existing' | 'skipped' | 'failed' | 'removed' | 'unlisted';
  readonly fields?: readonly string[];
  readonly code?: string;
  readonly message?: string;
}

/** The last line of the answer. */
export interface SyncSummary {
  readonly dry_run: boolean;
  readonly total: number;
  readonly created: number;
  readonly changed: number;
  readonly existing: number;
  readonly removed: number;
  readonly unlisted: number;
  readonly failed: number;
}

/** `~ example.com (note, tags)`; null for a row that says nothing new. */
export function formatSyncRow({ domain, outcome, fields = [] }: SyncRow): string | null {
  switch (outcome) {
    case 'created':
      return `+ ${domain ?? ''}`;
    case 'changed':
      return `~ ${domain ?? ''} (${fields.join(', ')})`;
    case 'removed':
      return `- ${domain ?? ''}`;
    case 'unlisted':
      return `? ${domain ?? ''} (not in the file, stays)`;
    case 'existing':
    case 'skipped':
    case 'failed':
      return null;
  }
}

export function formatSyncSummary(summary: SyncSummary): string {
  const { dry_run, total, created, changed, existing, removed, unlisted, failed } = summary;
  const stay = unlisted > 0 ? `, ${unlisted} not in the file` : '';
  const isUnwritten = dry_run || (failed > 0 && countDifferences(summary) === 0);
  const note = isUnwritten ? ' (nothing was written)' : '';
  const counts = `${created} to add, ${changed} to change, ${removed} to remove`;
  const done = `${created} added, ${changed} changed, ${removed} removed`;
  const refused = failed > 0 ? `, ${failed} refused` : '';
  return `${pluralize(total, 'name')}: ${dry_run ? counts : done}, ${existing} as they are${stay}${refused}${note}`;
}

/** How many entries differ from the file. */
export function countDifferences({ created, changed, removed }: SyncSummary): number {
  return created + changed + removed;
}
