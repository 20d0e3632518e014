import { EntitySchema } from 'namewatch/mikro-orm';

/** A status that a watched name had from `at` on. */
export class LedgerEntry {
  /** Of the event, so that one that comes twice leaves one row. */
  eventId: string;
  accountId: string;
  domain: string;
  previousStatus: string;
  status: string;
  at: Date;
}

export const ledgerEntrySchema = new EntitySchema<LedgerEntry>({
  class: LedgerEntry,
  tableName: 'ledger_entries',
  properties: {
    eventId: { type: 'text', primary: true },
    accountId: { type: 'text' },
    domain: { type: 'text' },
    previousStatus: { type: 'text' },
    status: { type: 'text' },
    at: { type: 'timestamptz' },
  },
});
