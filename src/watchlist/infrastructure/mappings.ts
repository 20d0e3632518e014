import { defineEntity, p } from '@mikro-orm/core';
import type { EntryStatus, EvidenceSource, LifecyclePhase } from '../../domains/language.js';
import { WatchEntry } from '../domain/entry/watch-entry.js';
import type { Intent } from '../domain/entry/watch-events.js';
import type { Urgency } from '../domain/watched-name/urgency.js';
import { WatchedName, type WatchedNameFields } from '../domain/watched-name/watched-name.js';
import {
  DomainNameColumn,
  FactsColumn,
  PendingColumn,
  LastReminderColumn,
  StatusTransitionColumn,
} from './column-types.js';
import type { Mappable } from '../../platform/database/mappable.js';
import { MappedColumns } from '../../platform/database/mapped-columns.js';

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
    provenSince: p.datetime(3).nullable(),
    proofAt: p.datetime(3).nullable(),
    pending: p.type(PendingColumn).nullable(),
    lastTurn: p.type(StatusTransitionColumn).nullable(),
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
    planFloorMinutes: p.integer(),
    expiringWindowDays: p.integer(),
    status: p.text().$type<EntryStatus>(),
    phase: p.text().$type<LifecyclePhase>(),
    changeSeq: p.integer(),
    proven: p.boolean(),
    knownRegisteredAt: p.datetime(3).nullable(),
    knownExpiresAt: p.datetime(3).nullable(),
    boundaryAt: p.datetime(3).nullable(),
    toldRung: p.type(LastReminderColumn).nullable(),
    failingTold: p.boolean(),
    historyFrozen: p.boolean(),
    paused: p.boolean(),
    tags: p.array().$type<readonly string[]>(),
    note: p.text().nullable(),
    intent: p.text().$type<Intent>(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});

export const watchedNameColumns = MappedColumns.of<WatchedNameFields>(watchedNameMapping);
export const watchEntryColumns = MappedColumns.of<WatchEntry>(watchEntryMapping);

export const watchlistMappings = [watchedNameMapping, watchEntryMapping];
