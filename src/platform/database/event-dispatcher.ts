import { Injectable } from '@nestjs/common';
import type { DomainEvent } from '../../kernel/domain-event.js';
import { EventBus, type EventHandler } from '../../kernel/unit-of-work.js';

/** Who wants which events. A type that nobody handles is a change that nobody would hear of: it is refused. */
@Injectable()
export class EventDispatcher extends EventBus {
  private readonly handlers: { readonly prefix: string; readonly handler: EventHandler }[] = [];

  private readonly listeners: {
    readonly prefix: string;
    readonly listener: (events: readonly DomainEvent[]) => void;
  }[] = [];

  subscribe(typePrefix: string, handler: EventHandler): void {
    this.handlers.push({ prefix: typePrefix, handler });
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

  /** Tells each handler once of all the events it wants, in their order. A handler that throws undoes them all. */
  async dispatch(events: readonly DomainEvent[]): Promise<void> {
    const unhandled = events.find((event) => !this.handlers.some(({ prefix }) => event.type.startsWith(prefix)));
    if (unhandled) throw new Error(`no handler subscribed to the event type ${unhandled.type}`);
    for (const { prefix, handler } of this.handlers) {
      const matching = events.filter((event) => event.type.startsWith(prefix));
      if (matching.length > 0) await handler(matching);
    }
  }
}
