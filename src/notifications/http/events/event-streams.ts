import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { SECOND } from '../../../kernel/clock.js';
import { DomainError } from '../../../kernel/domain-error.js';
import type { EventCursor } from '../../domain/events/event-cursor.js';
import type { FeedFilter, FeedItem } from '../../application/ports/event-feed.js';
import { StreamPlaces } from '../../application/ports/stream-slots.js';
import { ReadEvents } from '../../application/events/read-events.js';

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
  /** Breaks the connection, whatever its reader has yet to take. */
  readonly cut: () => void;
}

/** Nothing new, and where a reader who comes back may go on all the same. */
export interface Ping {
  readonly ping: EventCursor;
}

/** Since when its reader has taken nothing of what is there for it; Infinity when it takes all there is. */
interface Flow {
  waitsSince: number;
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
  /** Also by the monotonic timer. A place is kept up as often, and free when that fails for a minute. */
  protected readonly pingEvery: number = 15 * SECOND;
  /** A reader that takes nothing for so long loses its connection, and goes on where it was when it comes back. */
  protected readonly patience: number = 30 * SECOND;

  constructor(
    private readonly events: ReadEvents,
    private readonly places: StreamPlaces,
  ) {}

  /** A server that closes would wait for its readers to leave. */
  onModuleDestroy(): void {
    this.closing.abort();
  }

  /** @throws TooManyStreams */
  async stream(request: StreamRequest): Promise<AsyncGenerator<FeedItem | Ping>> {
    const place = await this.places.take(request.accountId);
    if (place === null) throw new TooManyStreams();
    if (request.signal.aborted) await this.leave(place);
    else request.signal.addEventListener('abort', () => void this.leave(place), { once: true });
    const [over, flow] = [new AbortController(), { waitsSince: Infinity }];
    const signal = AbortSignal.any([request.signal, this.closing.signal, over.signal]);
    void this.watch({ ...request, signal }, place, flow).finally(() => over.abort());
    return this.follow({ ...request, signal }, flow);
  }

  private async leave(place: string): Promise<void> {
    try {
      await this.places.leave(place);
    } catch (error) {
      this.log.warn(`a stream's place becomes free in a minute: ${(error as Error).message}`);
    }
  }

  private async *follow(request: StreamRequest, flow: Flow): AsyncGenerator<FeedItem | Ping> {
    try {
      for await (const item of this.untilOver(request)) {
        flow.waitsSince = performance.now();
        yield item;
        flow.waitsSince = Infinity;
        if (request.signal.aborted) return;
      }
    } catch (error) {
      // The reader comes back with the last id it has; what is away may be there again by then.
      if (!request.signal.aborted) this.log.warn(`a stream ended early: ${(error as Error).message}`);
    } finally {
      flow.waitsSince = performance.now(); // for the connection to close
    }
  }

  private async *untilOver(request: StreamRequest): AsyncGenerator<FeedItem | Ping> {
    let { from } = request;
    let [look, ping] = [0, performance.now() + this.pingEvery];
    while (!request.signal.aborted) {
      if (performance.now() >= look) {
        const { items, next, hasMore } = await this.events.pageOfStream(request.accountId, from, BATCH, request);
        yield* items;
        from = next;
        look = hasMore ? 0 : performance.now() + LOOK_EVERY;
      }
      if (performance.now() >= ping) {
        yield { ping: from };
        ping = performance.now() + this.pingEvery;
      }
      await sleep(STEP, null, { signal: request.signal });
    }
  }

  /** Beside the stream, which waits for its reader: a key is judged and a place kept though nothing is read. */
  private async watch(request: StreamRequest, place: string, flow: Flow): Promise<void> {
    try {
      await this.untilUnwelcome(request, place, flow);
    } catch (error) {
      this.log.warn(`a stream ends early: ${(error as Error).message}`);
    }
    setTimeout(request.cut, STEP); // what reads has ended by then
  }

  private async untilUnwelcome({ signal, isWelcome }: StreamRequest, place: string, flow: Flow): Promise<void> {
    const every = this.pingEvery;
    let keep = performance.now() + every;
    while (!signal.aborted && performance.now() - flow.waitsSince < this.patience && (await isWelcome())) {
      if (performance.now() >= keep) {
        await this.places.keep([place]);
        keep = performance.now() + every;
      }
      await sleep(STEP);
    }
  }
}
