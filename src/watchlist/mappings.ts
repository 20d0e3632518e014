import { Type, defineEntity, p } from '@mikro-orm/core';
import {
  DomainName,
  type Evidence,
  type RegistrationFacts,
  type EntryStatus,
  type EvidenceSource,
  type LifecyclePhase,
} from '../domains/language.js';
import type { PendingConfirmation, StatusTransition } from './domain/confirmation.js';
import type { LastReminder } from './domain/expiry-reminders.js';
import {
  type ExpectedRecord,
  type Renewal,
  type Purpose,
  type SettingKey,
  SETTING_KEYS,
} from './domain/entry-settings.js';
import type { RecordKindState, RecordState } from './domain/record-rules.js';
import { type FirstAnswer, WatchEntry } from './domain/watch-entry.js';
import type { Urgency } from './domain/check-schedule.js';
import { WatchedName, type WatchedNameFields } from './domain/watched-name.js';
import { type Mappable, MappedColumns, TextArrayColumn } from '../platform/database/mapped-columns.js';

/** Stores a domain name as its A-label. */
class DomainNameColumn extends Type<DomainName, string> {
  override convertToDatabaseValue(value: DomainName | string): string {
    return typeof value === 'string' ? value : value.ascii;
  }

  override convertToJSValue(value: string): DomainName {
    return DomainName.restore(value);
  }

  override compareAsType(): string {
    return 'string';
  }

  override getColumnType(): string {
    return 'text';
  }
}

/** Returns stored evidence with its dates as `Date`, or an empty list if none is stored. */
export function parseEvidence(text: string | null | undefined): readonly Evidence[] {
  return JSON.parse(text ?? '[]', (key: string, value: unknown) =>
    key === 'observedAt' && typeof value === 'string' ? new Date(value) : value,
  ) as readonly Evidence[];
}

/** Stores a value object as JSON text. On reading, the fields in `dateFields` become dates. */
class JsonColumn<Value extends object> extends Type<Value | null, string | null> {
  constructor(protected readonly dateFields: readonly string[]) {
    super();
  }

  override convertToDatabaseValue(value: Value | null): string | null {
    return value === null ? null : JSON.stringify(value);
  }

  override convertToJSValue(text: string | null): Value | null {
    if (text === null) return null;
    return JSON.parse(text, (key: string, value: unknown) =>
      this.dateFields.includes(key) && typeof value === 'string' ? new Date(value) : value,
    ) as Value;
  }

  override compareAsType(): string {
    return 'string';
  }

  override getColumnType(): string {
    return 'text';
  }
}

export class FactsColumn extends JsonColumn<RegistrationFacts> {
  constructor() {
    super(['registeredAt', 'expiresAt', 'releasesAt']);
  }

  /** Avoids the reviver of `JSON.parse`, which takes ten times as long. The dates of facts are not nested. */
  override convertToJSValue(text: string | null): RegistrationFacts | null {
    if (text === null) return null;
    const facts = JSON.parse(text) as Record<string, unknown>;
    for (const field of this.dateFields) if (typeof facts[field] === 'string') facts[field] = new Date(facts[field]);
    return facts as unknown as RegistrationFacts;
  }
}

export const PENDING_COLUMN = new JsonColumn<PendingConfirmation>([
  'firstSeenAt',
  'notBefore',
  'recheckAt',
  'observedAt',
]);

/** Stores the state of each record kind as an object, or as only the fingerprint if the other fields are null. */
export class RecordStateColumn extends JsonColumn<RecordState> {
  constructor() {
    super(['lastSeenAt', 'firstSeenAt', 'notBefore', 'recheckAt', 'at']);
  }

  override convertToDatabaseValue(state: RecordState | null): string | null {
    if (state === null) return null;
    const stored = Object.entries(state).map(([kind, known]) => [kind, isSteady(known) ? known.fingerprint : known]);
    return JSON.stringify(Object.fromEntries(stored));
  }

  /** `super.convertToJSValue` looks for dates and is slow. Only a text with nested objects can have dates. */
  override convertToJSValue(text: string | null): RecordState | null {
    if (text === null) return null;
    const stored = (text.includes('{', 1) ? super.convertToJSValue(text) : JSON.parse(text)) as StoredRecordState;
    const kinds: Record<string, RecordKindState> = {};
    for (const [kind, known] of Object.entries(stored))
      kinds[kind] = typeof known === 'string' ? { ...STEADY, fingerprint: known } : known;
    return kinds;
  }
}

type StoredRecordState = Readonly<Record<string, string | RecordKindState>>;

const STEADY = { lastSeenAt: null, candidate: null, lastTransition: null } as const;

function isSteady({ lastSeenAt, candidate, lastTransition }: RecordKindState): boolean {
  return !lastSeenAt && !candidate && !lastTransition;
}

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
    pending: p.type(PENDING_COLUMN).nullable(),
    recordState: p.type(RecordStateColumn).nullable(),
    lastTransition: p.type(new JsonColumn<StatusTransition>(['at'])).nullable(),
    lastCheckedAt: p.datetime(3).nullable(),
    failures: p.integer(),
    failingSince: p.datetime(3).nullable(),
    failureCode: p.text().nullable(),
  },
});

const settingColumns = {
  intervalMinutes: p.integer(),
  expiringWindowDays: p.integer(),
  paused: p.boolean(),
  tags: p.type(TextArrayColumn).$type<readonly string[]>(),
  note: p.text().nullable(),
  purpose: p.text().$type<Purpose>(),
  remindDays: p.type(new JsonColumn<readonly number[]>([])).nullable(),
  renewal: p.type(new JsonColumn<Renewal>([])).nullable(),
  expected: p.type(new JsonColumn<ExpectedRecord>([])).nullable(),
} satisfies Record<SettingKey, unknown>;

const watchEntryMapping = defineEntity({
  class: WatchEntry as unknown as Mappable<WatchEntry>,
  tableName: 'watch_entries',
  properties: {
    id: p.text().primary(),
    accountId: p.text(),
    domain: p.type(DomainNameColumn),
    ...settingColumns,
    status: p.text().$type<EntryStatus>(),
    phase: p.text().$type<LifecyclePhase>(),
    changeSeq: p.integer(),
    firstAnswer: p.text().$type<FirstAnswer>().nullable(),
    hasConfirmedFacts: p.boolean(),
    knownRegisteredAt: p.datetime(3).nullable(),
    knownExpiresAt: p.datetime(3).nullable(),
    boundaryAt: p.datetime(3).nullable(),
    lastReminder: p.type(new JsonColumn<LastReminder>(['expiresAt'])).nullable(),
    failureNotified: p.boolean(),
    historyFrozen: p.boolean(),
    importId: p.text().nullable(),
    searchedText: p.text().nullable(),
    longText: p.text().nullable(),
    drifted: p.boolean(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});

export const watchedNameColumns = MappedColumns.of<WatchedNameFields>(watchedNameMapping);
export const watchEntryColumns = MappedColumns.of<WatchEntry>(watchEntryMapping);
export const entrySettingColumns = watchEntryColumns.pick(...SETTING_KEYS);

export const watchlistMappings = [watchedNameMapping, watchEntryMapping];
