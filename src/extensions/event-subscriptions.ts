import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { EventSubscriber } from '../kernel/event-subscriber.js';
import { EventBus } from '../kernel/unit-of-work.js';

/** Injection token: `readonly EventSubscriber[]`. */
export const EXTENSION_SUBSCRIBERS = 'extension-subscribers';

/** Subscribes the extensions to events of this process. */
@Injectable()
export class EventSubscriptions implements OnModuleInit {
  constructor(
    private readonly bus: EventBus,
    @Inject(EXTENSION_SUBSCRIBERS) private readonly subscribers: readonly EventSubscriber[],
  ) {}

  onModuleInit(): void {
    for (const subscriber of this.subscribers)
      this.bus.subscribe(subscriber.eventPrefix, (events) => subscriber.handle(events));
  }
}
