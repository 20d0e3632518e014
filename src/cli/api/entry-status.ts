/** An entry, with the sections that {@link STATUS_SECTIONS} ask for. */
export interface StatusSections {
  readonly status: string;
  /** null before the registry's first answer. */
  readonly last_checked_at?: string | null;
  /** null before the first confirmed answer. */
  readonly lifecycle?: unknown;
  readonly failing?: { readonly since: string; readonly code: string } | null;
}

/** For `expand`. */
export const STATUS_SECTIONS = 'lifecycle,failing';

/** Every entry starts as `registered`, which says nothing until an answer of the registry was confirmed. */
export function isAnswered({ last_checked_at, lifecycle }: Omit<StatusSections, 'status'>): boolean {
  return last_checked_at !== null && lifecycle !== null;
}

export function toStatusText(entry: StatusSections): string {
  if (isAnswered(entry)) return entry.status.replaceAll('_', ' ');
  return entry.last_checked_at === null ? 'not checked' : 'not confirmed';
}
