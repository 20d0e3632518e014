import { Type } from '@mikro-orm/core';
import { DomainName, type Evidence, type RegistrationFacts } from '../domains/language.js';
import type { PendingConfirmation } from './domain/confirmation.js';
import type { LastReminder } from './domain/expiry-reminders.js';
import type { ExpectedRecord } from './domain/expected-record.js';
import type { Renewal } from './domain/renewal.js';
import type { RecordKindState, RecordState } from './domain/record-state.js';
import type { StatusTransition } from './domain/flapping.js';

/** A domain name, stored as its A-label. */
export class DomainNameColumn extends Type<DomainName, string> {
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

/** Reads stored evidence, with its dates revived. */
export function parseEvidence(text: string): readonly Evidence[] {
  return JSON.parse(text, (key: string, value: unknown) =>
    key === 'observedAt' && typeof value === 'string' ? new Date(value) : value,
  ) as readonly Evidence[];
}

/** A value object stored as JSON text; the named fields are dates. */
abstract class JsonColumn<Value extends object> extends Type<Value | null, string | null> {
  protected abstract readonly dateFields: readonly string[];

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
  protected readonly dateFields = ['registeredAt', 'expiresAt'];

  /** Without a reviver, which costs ten times the rest: every check reads facts, and their dates are not nested. */
  override convertToJSValue(text: string | null): RegistrationFacts | null {
    if (text === null) return null;
    const facts = JSON.parse(text) as Record<string, unknown>;
    for (const field of this.dateFields) if (typeof facts[field] === 'string') facts[field] = new Date(facts[field]);
    return facts as unknown as RegistrationFacts;
  }
}

export class PendingColumn extends JsonColumn<PendingConfirmation> {
  protected readonly dateFields = ['firstSeenAt', 'notBefore', 'recheckAt', 'dnsInconclusiveSince', 'observedAt'];
}

export class StatusTransitionColumn extends JsonColumn<StatusTransition> {
  protected readonly dateFields = ['at'];
}

/** A kind of which nothing but its confirmed value is known, which is the usual case, is stored as its fingerprint. */
export class RecordStateColumn extends JsonColumn<RecordState> {
  protected readonly dateFields = ['lastSeenAt', 'firstSeenAt', 'notBefore', 'recheckAt', 'at'];

  override convertToDatabaseValue(state: RecordState | null): string | null {
    if (state === null) return null;
    const stored = Object.entries(state).map(([kind, known]) => [kind, isSteady(known) ? known.fingerprint : known]);
    return JSON.stringify(Object.fromEntries(stored));
  }

  /** Without the reviver where there are no dates. */
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

const STEADY = { isConfirmed: true, lastSeenAt: null, candidate: null, lastTransition: null } as const;

function isSteady({ isConfirmed, lastSeenAt, candidate, lastTransition }: RecordKindState): boolean {
  return isConfirmed && !lastSeenAt && !candidate && !lastTransition;
}

export class RemindDaysColumn extends JsonColumn<readonly number[]> {
  protected readonly dateFields = [];
}

export class RenewalColumn extends JsonColumn<Renewal> {
  protected readonly dateFields = [];
}

export class ExpectedColumn extends JsonColumn<ExpectedRecord> {
  protected readonly dateFields = [];
}

export class LastReminderColumn extends JsonColumn<LastReminder> {
  protected readonly dateFields = ['expiresAt'];
}
