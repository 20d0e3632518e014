import { defineEntity, p } from '@mikro-orm/core';
import type { EntryStatus, EvidenceSource, LifecyclePhase, RecordKind, RecordValue } from '../domains/language.js';
import { WatchEntry } from './domain/watch-entry.js';
import type { Intent } from './domain/watch-events.js';
import { ChangeWindow } from './domain/change-window.js';
import type { Urgency } from './domain/urgency.js';
import { WatchedName, type WatchedNameFields } from './domain/watched-name.js';
import {
  DomainNameColumn,
  ExpectedColumn,
  FactsColumn,
  PendingColumn,
  LastReminderColumn,
  RecordStateColumn,
  RemindDaysColumn,
  RenewalColumn,
  StatusTransitionColumn,
} from './column-types.js';
import type { Mappable } from '../platform/database/mappable.js';
import { MappedColumns } from '../platform/database/mapped-columns.js';
import { TextArrayColumn } from '../platform/database/text-array-column.js';

const watchedNameMapping = defineEntity({
  class: WatchedName as unknown as Mappable<WatchedName>,
  tableName: 'watched_names',
  properties: {
    domain: p.text().primary(),
    revision: p.integer(),
    operator: p.text(),
    urgency: p.smallint().$type<Urgency>(),
    intervalMinutes: p.integer(),
    nextCheckAt: p.datetime(3).nullable(),
    facts: p.type(FactsColumn).nullable(),
    source: p.text().$type<EvidenceSource>().nullable(),
    factsSince: p.datetime(3).nullable(),
    factsConfirmedAt: p.datetime(3).nullable(),
    pending: p.type(PendingColumn).nullable(),
    recordState: p.type(RecordStateColumn).nullable(),
    lastTransition: p.type(StatusTransitionColumn).nullable(),
    lastCheckedAt: p.datetime(3).nullable(),
    failures: p.integer(),
    failingSince: p.datetime(3).nullable(),
    failureCode: p.text().nullable(),
  },
});

const watchEntryMapping = defineEntity({
  class: WatchEntry as unknown as Mappable<WatchEntry>,
  tableName: 'watch_entries',
  properties: {
    id: p.text().primary(),
    accountId: p.text(),
    domain: p.type(DomainNameColumn),
    intervalMinutes: p.integer(),
    planMinimumMinutes: p.integer(),
    expiringWindowDays: p.integer(),
    status: p.text().$type<EntryStatus>(),
    phase: p.text().$type<LifecyclePhase>(),
    changeSeq: p.integer(),
    hasConfirmedFacts: p.boolean(),
    knownRegisteredAt: p.datetime(3).nullable(),
    knownExpiresAt: p.datetime(3).nullable(),
    boundaryAt: p.datetime(3).nullable(),
    lastReminder: p.type(LastReminderColumn).nullable(),
    failureNotified: p.boolean(),
    historyFrozen: p.boolean(),
    paused: p.boolean(),
    tags: p.type(TextArrayColumn).$type<readonly string[]>(),
    note: p.text().nullable(),
    intent: p.text().$type<Intent>(),
    remindDays: p.type(RemindDaysColumn).nullable(),
    renewal: p.type(RenewalColumn).nullable(),
    expected: p.type(ExpectedColumn).nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});

const changeWindowMapping = defineEntity({
  class: ChangeWindow as unknown as Mappable<ChangeWindow>,
  tableName: 'change_windows',
  properties: {
    id: p.text().primary(),
    accountId: p.text(),
    kind: p.text().$type<RecordKind>(),
    after: p.json().$type<RecordValue>(),
    intent: p.text().$type<Intent>(),
    tags: p.type(TextArrayColumn).$type<readonly string[]>(),
    startedAt: p.datetime(3),
    sent: p.type(TextArrayColumn).$type<readonly string[]>(),
    held: p.integer(),
    continues: p.boolean(),
  },
});

export const watchedNameColumns = MappedColumns.of<WatchedNameFields>(watchedNameMapping);
export const watchEntryColumns = MappedColumns.of<WatchEntry>(watchEntryMapping);

export const watchlistMappings = [watchedNameMapping, watchEntryMapping, changeWindowMapping];
