import { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { DomainEvent } from '../kernel/domain-event.js';
import { EventBus } from '../kernel/unit-of-work.js';
import { matchesFilter } from '../notifications/index.js';
import type { EventFilter, EventOf, EventSubscriber } from './event-subscriber.js';

/** Injection token: `readonly ExtensionSubscriber[]`. */
export const EXTENSION_SUBSCRIBERS = 'extension-subscribers';

export interface ExtensionSubscriber {
  /** The name of its extension. */
  readonly extension: string;
  readonly subscriber: EventSubscriber;
}

/** Keeps the subscriber's error from being taken for one of ours, such as a name that is watched already. */
class SubscriberFailed extends Error {
  override readonly name = 'SubscriberFailed';

  constructor(extension: string, cause: unknown) {
    super(`a subscriber of the extension ${extension} failed: ${(cause as Error).message}`, { cause });
  }
}

/** Subscribes the extensions to events of this process. */
@Injectable()
export class EventSubscriptions implements OnModuleInit {
  private readonly log = new Logger(EventSubscriptions.name);

  constructor(
    private readonly bus: EventBus,
    private readonly entities: EntityManager,
    @Inject(EXTENSION_SUBSCRIBERS) private readonly subscribers: readonly ExtensionSubscriber[],
  ) {}

  onModuleInit(): void {
    for (const { extension, subscriber } of this.subscribers)
      this.bus.observe(
        (type) => subscriber.filters.some((filter) => matchesFilter(filter, type)),
        (events) => this.handle(extension, subscriber, events),
      );
  }

  /** Flushes, so that a row that the database refuses is reported with the name of the extension. */
  private async handle(extension: string, subscriber: EventSubscriber, events: readonly DomainEvent[]): Promise<void> {
    try {
      await subscriber.handle(events as readonly EventOf<EventFilter>[]);
      await this.entities.flush();
    } catch (error) {
      const failed = new SubscriberFailed(extension, error);
      this.log.error({ extension, events: events.map(({ id }) => id), err: failed }, 'change undone by a subscriber');
      throw failed;
    }
  }
}
