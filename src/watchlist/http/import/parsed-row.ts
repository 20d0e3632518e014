/** What a line asks for, by the names of the API; `fault`: why it cannot be read. */
export type ParsedRow = { readonly line: number } & (
  { readonly fields: Readonly<Record<string, unknown>> } | { readonly fault: string }
);

/** What an export adds to an import, and an import takes no notice of. */
export const READ_ONLY_COLUMNS = ['status', 'expires_at', 'last_checked_at'] as const;
export const INPUT_COLUMNS = [
  ...(['domain', 'interval_minutes', 'expiring_window_days', 'tags', 'note', 'intent'] as const),
] as const;
