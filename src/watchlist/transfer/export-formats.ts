import { stringify } from 'csv-stringify/sync';
import type { ExportedEntry } from './watchlist-export.repository.js';
import { escapeFormula, formatHosts, formatRemindDays, formatTags } from './csv-cells.js';
import { INPUT_COLUMNS, READ_ONLY_COLUMNS, REMINDER_COLUMNS, EXPECTED_COLUMNS } from './parsed-row.js';

/** A file format of exports: the columns that an import reads, three of which it ignores. */
export interface FileFormat {
  readonly mediaType: string;
  readonly name: string;
  /** Written before the first entry. */
  readonly header: string;
  readonly format: (entries: readonly ExportedEntry[]) => string;
}

const COLUMNS = [...INPUT_COLUMNS, ...READ_ONLY_COLUMNS, ...REMINDER_COLUMNS, ...EXPECTED_COLUMNS];

/** Quotes lone line feeds and carriage returns too: some readers end a row there. */
const RFC_4180 = { record_delimiter: 'windows', quoted_match: /[\r\n]/ } as const;

export const csvFormat: FileFormat = {
  mediaType: 'text/csv; charset=utf-8; header=present',
  name: 'watchlist.csv',
  header: `${COLUMNS.join(',')}\r\n`,
  format: (entries) => stringify(entries.map(toCells), RFC_4180),
};

export const ndjsonFormat: FileFormat = {
  mediaType: 'application/x-ndjson',
  name: 'watchlist.ndjson',
  header: '',
  format: (entries) => entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''),
};

function toCells(entry: ExportedEntry): readonly string[] {
  return [
    entry.domain,
    String(entry.interval_minutes),
    String(entry.expiring_window_days),
    formatTags(entry.tags),
    escapeFormula(entry.note ?? ''),
    entry.intent,
    entry.status ?? '',
    entry.expires_at?.toISOString() ?? '',
    entry.last_checked_at?.toISOString() ?? '',
    formatRemindDays(entry.remind_days),
    entry.renewal?.on ?? '',
    escapeFormula(entry.renewal?.note ?? ''),
    formatHosts(entry.expected?.nameservers),
    entry.expected?.registrar_id ?? '',
    String(entry.expected?.locked ?? ''),
  ];
}
