import { Type } from '@mikro-orm/core';
import { DomainName, type Evidence, type RegistrationFacts } from '../../domains/language.js';
import type { PendingConfirmation } from '../domain/confirmation.js';
import type { ToldRung } from '../domain/expiry-ladder.js';
import type { Turn } from '../domain/flapping.js';

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

/** Stored evidence, as it was before it was stored. */
export function evidenceIn(text: string): readonly Evidence[] {
  return JSON.parse(text, (member: string, value: unknown) =>
    member === 'observedAt' && typeof value === 'string' ? new Date(value) : value,
  ) as readonly Evidence[];
}

/** A value object as JSON text, whose named members are instants. */
abstract class ValueColumn<Value extends object> extends Type<Value | null, string | null> {
  protected abstract readonly instants: readonly string[];

  override convertToDatabaseValue(value: Value | null): string | null {
    return value === null ? null : JSON.stringify(value);
  }

  override convertToJSValue(text: string | null): Value | null {
    if (text === null) return null;
    return JSON.parse(text, (member: string, value: unknown) =>
      this.instants.includes(member) && typeof value === 'string' ? new Date(value) : value,
    ) as Value;
  }

  override compareAsType(): string {
    return 'string';
  }

  override getColumnType(): string {
    return 'text';
  }
}

export class FactsColumn extends ValueColumn<RegistrationFacts> {
  protected readonly instants = ['registeredAt', 'expiresAt'];

  /** Without a reviver, which costs ten times the rest: every look reads facts, and their instants are not nested. */
  override convertToJSValue(text: string | null): RegistrationFacts | null {
    if (text === null) return null;
    const facts = JSON.parse(text) as Record<string, unknown>;
    for (const member of this.instants) if (typeof facts[member] === 'string') facts[member] = new Date(facts[member]);
    return facts as unknown as RegistrationFacts;
  }
}

export class PendingColumn extends ValueColumn<PendingConfirmation> {
  protected readonly instants = ['firstSeenAt', 'notBefore', 'lookAt', 'unheardSince', 'observedAt'];
}

export class TurnColumn extends ValueColumn<Turn> {
  protected readonly instants = ['at'];
}

export class ToldRungColumn extends ValueColumn<ToldRung> {
  protected readonly instants = ['expiresAt'];
}
