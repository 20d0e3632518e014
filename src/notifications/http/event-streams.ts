import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { SECOND } from '../../kernel/clock.js';
import { DomainError } from '../../kernel/domain-error.js';
import type { EventCursor } from '../domain/event-cursor.js';
import type { FeedFilter, FeedItem } from '../domain/event-feed.js';
import { ReadEvents } from '../application/read-events.js';

/** An account has too many streams open. */
export class TooManyStreams extends DomainError {
  constructor() {
    super('rate_limited', `An account has at most ${STREAMS} streams open.`, { retry_after_seconds: 3 });
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

const STREAMS = 5;
const BATCH = 100;
/** In milliseconds, by the monotonic timer. A believed key is at most 900 old, so that 1 s is kept after revocation. */
const STEP = 50;
const LOOK_EVERY = SECOND / 4;
const PING_EVERY = 15 * SECOND;

/** Events as they happen, for readers who stay. */
@Injectable()
export class EventStreams implements OnModuleDestroy {
  private readonly log = new Logger(EventStreams.name);
  private readonly open = new Map<string, number>();
  private readonly closing = new AbortController();

  constructor(private readonly events: ReadEvents) {}

  /** A server that closes would wait for its readers to leave. */
  onModuleDestroy(): void {
    this.closing.abort();
  }

  /** @throws TooManyStreams, at once */
  stream(request: StreamRequest): AsyncGenerator<FeedItem | 'ping'> {
    const held = this.open.get(request.accountId) ?? 0;
    if (held >= STREAMS) throw new TooManyStreams();
    this.open.set(request.accountId, held + 1);
    request.signal.addEventListener('abort', () => this.leave(request.accountId), { once: true });
    return this.follow({ ...request, signal: AbortSignal.any([request.signal, this.closing.signal]) });
  }

  private leave(accountId: string): void {
    const held = this.open.get(accountId) ?? 0;
    if (held > 1) this.open.set(accountId, held - 1);
    else this.open.delete(accountId);
  }

  private async *follow(request: StreamRequest): AsyncGenerator<FeedItem | 'ping'> {
    try {
      yield* this.untilUnwelcome(request);
    } catch (error) {
      // The reader comes back with the last id it has; what is away may be there again by then.
      if (!request.signal.aborted) this.log.warn(`a stream ended early: ${(error as Error).message}`);
    }
  }

  private async *untilUnwelcome(request: StreamRequest): AsyncGenerator<FeedItem | 'ping'> {
    let { from } = request;
    let [look, ping] = [0, performance.now() + PING_EVERY];
    while (!request.signal.aborted && (await request.isWelcome())) {
      if (performance.now() >= look) {
        const { items, next, hasMore } = await this.events.page(request.accountId, from, BATCH, request);
        yield* items;
        from = next;
        look = hasMore ? 0 : performance.now() + LOOK_EVERY;
      }
      if (performance.now() >= ping) {
        yield 'ping';
        ping = performance.now() + PING_EVERY;
      }
      await sleep(STEP);
    }
  }
}
