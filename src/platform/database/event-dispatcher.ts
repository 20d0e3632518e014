import { Injectable } from '@nestjs/common';
import type { DomainEvent } from '../../kernel/domain-event.js';
import { EventBus, type EventHandler } from '../../kernel/unit-of-work.js';

/** Dispatches events to handlers by type prefix. A type without a handler is refused: its change would go unnoticed. */
@Injectable()
export class EventDispatcher extends EventBus {
  private readonly handlers: { readonly prefix: string; readonly handler: EventHandler }[] = [];

  private readonly observers: { readonly matches: (type: string) => boolean; readonly observer: EventHandler }[] = [];

  private readonly listeners: {
    readonly prefix: string;
    readonly listener: (events: readonly DomainEvent[]) => void;
  }[] = [];

  subscribe(typePrefix: string, handler: EventHandler): void {
    this.handlers.push({ prefix: typePrefix, handler });
  }

  observe(matches: (type: string) => boolean, observer: EventHandler): void {
    this.observers.push({ matches, observer });
  }

  afterCommit(typePrefix: string, listener: (events: readonly DomainEvent[]) => void): void {
    this.listeners.push({ prefix: typePrefix, listener });
  }

  notifyCommitted(events: readonly DomainEvent[]): void {
    for (const { prefix, listener } of this.listeners) {
      const matching = events.filter((event) => event.type.startsWith(prefix));
      if (matching.length > 0) listener(matching);
    }
  }

  /** Calls each handler once with its events, in order. A handler that throws rolls the transaction back. */
  async dispatch(events: readonly DomainEvent[]): Promise<void> {
    const unhandled = events.find((event) => !this.handlers.some(({ prefix }) => event.type.startsWith(prefix)));
    if (unhandled) throw new Error(`no handler subscribed to the event type ${unhandled.type}`);
    for (const { prefix, handler } of this.handlers) {
      const matching = events.filter((event) => event.type.startsWith(prefix));
      if (matching.length > 0) await handler(matching);
    }
    for (const { matches, observer } of this.observers) {
      const matching = events.filter((event) => matches(event.type));
      if (matching.length > 0) await observer(matching);
    }
  }
}
