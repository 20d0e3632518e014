import type { DomainEvent } from './domain-event.js';

/**
 * Events are not in a field: the ORM restores aggregates without field initialisers, so the field would be undefined.
 */
const recorded = new WeakMap<object, DomainEvent[]>();

/** Fields are readonly; only the aggregate's own methods change them, with `become`. */
export abstract class AggregateRoot<Self = unknown> {
  protected become(changes: Partial<Self>): void {
    Object.assign(this, changes);
  }

  protected record(event: DomainEvent): void {
    const events = recorded.get(this);
    if (events) events.push(event);
    else recorded.set(this, [event]);
  }

  /** Returns and clears the recorded events, oldest first. The unit of work calls this method before the commit. */
  releaseEvents(): DomainEvent[] {
    const events = recorded.get(this) ?? [];
    recorded.delete(this);
    return events;
  }
}

/** The stored fields of an aggregate, without its methods and derived members. */
export type FieldsOf<Aggregate, Derived extends keyof Aggregate = never> = {
  readonly [
    Key in Exclude<keyof Aggregate, Derived> as Aggregate[Key] extends (...args: never[]) => unknown ? never : Key
  ]: Aggregate[Key];
};
