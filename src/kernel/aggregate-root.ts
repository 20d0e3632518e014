import type { DomainEvent } from './domain-event.js';

/**
 * Kept outside the objects: the ORM restores an aggregate without running its constructor or field initialisers,
 * so a list held in a field would be missing on every aggregate that came from the database.
 */
const recorded = new WeakMap<object, DomainEvent[]>();

/** A cluster of state that changes as one. Its fields are readonly; only its own verbs change them, by `become`. */
export abstract class AggregateRoot<Self = unknown> {
  protected become(changes: Partial<Self>): void {
    Object.assign(this, changes);
  }

  protected record(event: DomainEvent): void {
    const events = recorded.get(this);
    if (events) events.push(event);
    else recorded.set(this, [event]);
  }

  /** Hands over what happened since the last call, oldest first. The unit of work calls it before the commit. */
  releaseEvents(): DomainEvent[] {
    const events = recorded.get(this) ?? [];
    recorded.delete(this);
    return events;
  }
}

/** What an aggregate is made of: its members without its verbs, and without those that are derived. */
export type FieldsOf<Aggregate, Derived extends keyof Aggregate = never> = {
  readonly [
    Key in Exclude<keyof Aggregate, Derived> as Aggregate[Key] extends (...args: never[]) => unknown ? never : Key
  ]: Aggregate[Key];
};
