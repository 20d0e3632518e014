import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { AccountDataRegistry } from '../auth/index.js';
import { SECOND } from '../kernel/clock.js';
import type { DomainEvent } from '../kernel/domain-event.js';
import { withTimeout } from '../kernel/promises.js';
import { EventBus } from '../kernel/unit-of-work.js';
import { matchesFilter } from '../notifications/index.js';
import type { EventFilter, EventOf, EventSubscriber } from './event-subscriber.js';
import type { AccountData } from './extension.js';
import { ExtensionCalls, ExtensionFailed } from './extension-calls.js';

/** Injection token: `readonly ExtensionSubscriber[]`. */
export const EXTENSION_SUBSCRIBERS = 'extension-subscribers';

interface ExtensionSubscriber {
  readonly extension: string;
  readonly subscriber: EventSubscriber;
}

/** The time limit of a subscriber: shorter than the five seconds after which PostgreSQL ends an idle transaction. */
const HANDLE_LIMIT_MS = 4 * SECOND;

@Injectable()
export class EventSubscriptions implements OnModuleInit {
  constructor(
    private readonly bus: EventBus,
    private readonly entities: EntityManager,
    private readonly calls: ExtensionCalls,
    @Inject(EXTENSION_SUBSCRIBERS) private readonly subscribers: readonly ExtensionSubscriber[],
  ) {}

  onModuleInit(): void {
    for (const { extension, subscriber } of this.subscribers)
      this.bus.observe(
        (type) => subscriber.filters.some((filter) => matchesFilter(filter, type)),
        (events) => this.handle(extension, subscriber, events),
      );
  }

  /** If the subscriber or one of its database writes fails, the error names the extension. */
  private async handle(extension: string, subscriber: EventSubscriber, events: readonly DomainEvent[]): Promise<void> {
    try {
      await this.calls.measure(extension, 'subscriber', () =>
        withTimeout(HANDLE_LIMIT_MS, this.handleAndFlush(subscriber, events)),
      );
    } catch (error) {
      // The wrapper keeps callers from taking the error for their own, such as "this name is already watched".
      throw new ExtensionFailed(extension, `${subscriber.constructor.name}.handle`, error);
    }
  }

  private async handleAndFlush(subscriber: EventSubscriber, events: readonly DomainEvent[]): Promise<void> {
    await subscriber.handle(events as readonly EventOf<EventFilter>[]);
    await this.entities.flush();
  }
}

/** Injection token: `readonly AccountData[]`. */
export const EXTENSION_ACCOUNT_DATA = 'extension-account-data';

/** Registers the data of extensions last, so that it is deleted last. Until then, subscribers may still add rows. */
@Injectable()
export class AccountDataRegistration implements OnApplicationBootstrap {
  constructor(
    private readonly modules: ModuleRef,
    @Inject(EXTENSION_ACCOUNT_DATA) private readonly kinds: readonly AccountData[],
  ) {}

  onApplicationBootstrap(): void {
    const registry = this.modules.get(AccountDataRegistry, { strict: false });
    registry.add(...this.kinds);
  }
}
