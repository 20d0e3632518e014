import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { SECOND } from '../../kernel/clock.js';
import { DomainError } from '../../kernel/domain-error.js';
import type { EventCursor } from '../domain/event-cursor.js';
import type { FeedFilter, FeedItem } from '../domain/event-feed.js';
import { StreamPlaces } from '../domain/stream-places.js';
import { ReadEvents } from '../application/read-events.js';

/** An account has too many streams open. */
export class TooManyStreams extends DomainError {
  constructor() {
    super('rate_limited', 'An account has at most five streams open.', { retry_after_seconds: 3 });
  }
}

export interface StreamRequest extends FeedFilter {
  readonly accountId: string;
  readonly from: EventCursor;
  /** Ends the stream. */
  readonly signal: AbortSignal;
  /** Asked all the time: a key that was revoked reads nothing more. */
  readonly isWelcome: () => Promise<boolean>;
}

const BATCH = 100;
/** In milliseconds, by the monotonic timer. A believed key is at most 900 old, so that 1 s is kept after revocation. */
const STEP = 50;
const LOOK_EVERY = SECOND / 4;

/** Events as they happen, for readers who stay. */
@Injectable()
export class EventStreams implements OnModuleDestroy {
  private readonly log = new Logger(EventStreams.name);
  private readonly closing = new AbortController();
  /** Also by the monotonic timer. A place is kept up with every ping, and free when that fails for a minute. */
  protected readonly pingEvery: number = 15 * SECOND;

  constructor(
    private readonly events: ReadEvents,
    private readonly places: StreamPlaces,
  ) {}

  /** A server that closes would wait for its readers to leave. */
  onModuleDestroy(): void {
    this.closing.abort();
  }

  /** @throws TooManyStreams */
  async stream(request: StreamRequest): Promise<AsyncGenerator<FeedItem | 'ping'>> {
    const place = await this.places.take(request.accountId);
    if (place === null) throw new TooManyStreams();
    if (request.signal.aborted) await this.leave(place);
    else request.signal.addEventListener('abort', () => void this.leave(place), { once: true });
    return this.follow({ ...request, signal: AbortSignal.any([request.signal, this.closing.signal]) }, place);
  }

  private async leave(place: string): Promise<void> {
    try {
      await this.places.leave(place);
    } catch (error) {
      this.log.warn(`a stream's place becomes free in a minute: ${(error as Error).message}`);
    }
  }

  private async *follow(request: StreamRequest, place: string): AsyncGenerator<FeedItem | 'ping'> {
    try {
      yield* this.untilUnwelcome(request, place);
    } catch (error) {
      // The reader comes back with the last id it has; what is away may be there again by then.
      if (!request.signal.aborted) this.log.warn(`a stream ended early: ${(error as Error).message}`);
    }
  }

  private async *untilUnwelcome(request: StreamRequest, place: string): AsyncGenerator<FeedItem | 'ping'> {
    let { from } = request;
    let [look, ping] = [0, performance.now() + this.pingEvery];
    while (!request.signal.aborted && (await request.isWelcome())) {
      if (performance.now() >= look) {
        const { items, next, hasMore } = await this.events.page(request.accountId, from, BATCH, request);
        yield* items;
        from = next;
        look = hasMore ? 0 : performance.now() + LOOK_EVERY;
      }
      if (performance.now() >= ping) {
        yield 'ping';
        await this.places.keep([place]);
        ping = performance.now() + this.pingEvery;
      }
      await sleep(STEP);
    }
  }
}
