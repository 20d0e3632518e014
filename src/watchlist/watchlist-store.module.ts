import { Module } from '@nestjs/common';
import { EntryBatch } from './entries/entry-batch.js';
import { HistoryRepository } from './records/history.repository.js';
import { RegistrationRecordRepository } from './records/registration-records.repository.js';
import { WatchEntryRepository } from './watch-entries.repository.js';
import { WatchedNameRepository } from './watched-names.repository.js';

const STORES = [
  EntryBatch,
  HistoryRepository,
  RegistrationRecordRepository,
  WatchEntryRepository,
  WatchedNameRepository,
];

/**
 * Stores watched names, their entries, registration records and history. Every feature of the watchlist uses this
 * module.
 */
@Module({ providers: STORES, exports: STORES })
export class WatchlistStoreModule {}
