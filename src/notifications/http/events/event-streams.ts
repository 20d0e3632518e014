import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { SECOND } from '../../../kernel/clock.js';
import { DomainError } from '../../../kernel/domain-error.js';
import type { EventCursor } from '../../domain/events/event-cursor.js';
import type { FeedFilter, FeedItem } from '../../application/ports/event-feed.js';
import { StreamSlots } from '../../application/ports/stream-slots.js';
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
  readonly isAuthorized: () => Promise<boolean>;
  /** Breaks the connection, whatever its reader has yet to take. */
  readonly disconnect: () => void;
}

/** Nothing new, and where a reader who comes back may go on all the same. */
export interface Ping {
  readonly ping: EventCursor;
}

/** Since when its reader has taken nothing of what is there for it; Infinity when it takes all there is. */
interface ReaderState {
  blockedSince: number;
}

const BATCH_SIZE = 100;
/** In milliseconds, by the monotonic timer. A believed key is at most 900 old, so that 1 s is kept after revocation. */
const STEP_MS = 50;
const POLL_INTERVAL_MS = SECOND / 4;

/** Events as they happen, for readers who stay. */
@Injectable()
export class EventStreams implements OnModuleDestroy {
  private readonly log = new Logger(EventStreams.name);
  private readonly closing = new AbortController();
  /** Also by the monotonic timer. A place is kept up as often, and free when that fails for a minute. */
  protected readonly pingIntervalMs: number = 15 * SECOND;
  /** A reader that takes nothing for so long loses its connection, and goes on where it was when it comes back. */
  protected readonly readerTimeoutMs: number = 30 * SECOND;

  constructor(
    private readonly events: ReadEvents,
    private readonly slots: StreamSlots,
  ) {}

  /** A server that closes would wait for its readers to leave. */
  onModuleDestroy(): void {
    this.closing.abort();
  }

  /** @throws TooManyStreams */
  async stream(request: StreamRequest): Promise<AsyncGenerator<FeedItem | Ping>> {
    const slot = await this.slots.acquire(request.accountId);
    if (slot === null) throw new TooManyStreams();
    if (request.signal.aborted) await this.releaseSlot(slot);
    else request.signal.addEventListener('abort', () => void this.releaseSlot(slot), { once: true });
    const [ended, reader] = [new AbortController(), { blockedSince: Infinity }];
    const signal = AbortSignal.any([request.signal, this.closing.signal, ended.signal]);
    void this.supervise({ ...request, signal }, slot, reader).finally(() => ended.abort());
    return this.follow({ ...request, signal }, reader);
  }

  private async releaseSlot(slot: string): Promise<void> {
    try {
      await this.slots.release(slot);
    } catch (error) {
      this.log.warn(`a stream's place becomes free in a minute: ${(error as Error).message}`);
    }
  }

  private async *follow(request: StreamRequest, reader: ReaderState): AsyncGenerator<FeedItem | Ping> {
    try {
      for await (const item of this.poll(request)) {
        reader.blockedSince = performance.now();
        yield item;
        reader.blockedSince = Infinity;
        if (request.signal.aborted) return;
      }
    } catch (error) {
      // The reader comes back with the last id it has; what is away may be there again by then.
      if (!request.signal.aborted) this.log.warn(`a stream ended early: ${(error as Error).message}`);
    } finally {
      reader.blockedSince = performance.now(); // for the connection to close
    }
  }

  private async *poll(request: StreamRequest): AsyncGenerator<FeedItem | Ping> {
    let { from } = request;
    let [nextPoll, nextPing] = [0, performance.now() + this.pingIntervalMs];
    while (!request.signal.aborted) {
      if (performance.now() >= nextPoll) {
        const { items, next, hasMore } = await this.events.streamPage(request.accountId, from, BATCH_SIZE, request);
        yield* items;
        from = next;
        nextPoll = hasMore ? 0 : performance.now() + POLL_INTERVAL_MS;
      }
      if (performance.now() >= nextPing) {
        yield { ping: from };
        nextPing = performance.now() + this.pingIntervalMs;
      }
      await sleep(STEP_MS, null, { signal: request.signal });
    }
  }

  /** Beside the stream, which waits for its reader: a key is judged and a place kept though nothing is read. */
  private async supervise(request: StreamRequest, slot: string, reader: ReaderState): Promise<void> {
    try {
      await this.untilUnauthorized(request, slot, reader);
    } catch (error) {
      this.log.warn(`a stream ends early: ${(error as Error).message}`);
    }
    setTimeout(request.disconnect, STEP_MS); // what reads has ended by then
  }

  private async untilUnauthorized(
    { signal, isAuthorized }: StreamRequest,
    slot: string,
    reader: ReaderState,
  ): Promise<void> {
    const intervalMs = this.pingIntervalMs;
    let nextRenewal = performance.now() + intervalMs;
    while (
      !signal.aborted &&
      performance.now() - reader.blockedSince < this.readerTimeoutMs &&
      (await isAuthorized())
    ) {
      if (performance.now() >= nextRenewal) {
        await this.slots.renew([slot]);
        nextRenewal = performance.now() + intervalMs;
      }
      await sleep(STEP_MS);
    }
  }
}
