/** The fields of a line, by their API names, or the reason why it is invalid. */
export type ParsedRow = { readonly line: number } & (
  { readonly fields: Readonly<Record<string, unknown>> } | { readonly fault: string }
);

/** Columns of an export that an import ignores. */
export const READ_ONLY_COLUMNS = ['status', 'expires_at', 'last_checked_at'] as const;
/** Of CSV; in NDJSON the last two are one object, `renewal`. */
export const REMINDER_COLUMNS = ['remind_days', 'renewal_on', 'renewal_note'] as const;
/** Of CSV; in NDJSON one object, `expected`. */
export const EXPECTED_COLUMNS = ['expected_nameservers', 'expected_registrar_id', 'expected_locked'] as const;
export const INPUT_COLUMNS = [
  ...(['domain', 'interval_minutes', 'expiring_window_days', 'tags', 'note', 'intent'] as const),
] as const;
