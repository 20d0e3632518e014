import { defineExtension } from 'namewatch';
import { CreateLedger } from './create-ledger.migration.js';
import { LedgerController } from './ledger.controller.js';
import { LedgerData } from './ledger-data.js';
import { ledgerEntrySchema } from './ledger-entry.js';
import { RecordStatusChanges } from './record-status-changes.js';

declare module 'namewatch' {
  interface Scopes {
    'ledger:read': true;
  }
}

/** One row for each change of status, written in the transaction of the change. */
export default defineExtension({
  name: 'ledger',
  compatibility: '^1.0.0',
  entities: [ledgerEntrySchema],
  migrations: [{ name: 'CreateLedger', class: CreateLedger }],
  subscribers: [RecordStatusChanges],
  accountData: [LedgerData],
  scopes: ['ledger:read'],
  controllers: [LedgerController],
  links: [{ label: 'Ledger', path: '/v1/x/ledger', scope: 'ledger:read' }],
});
