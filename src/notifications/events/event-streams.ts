import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { EventFeed, type FeedFilter, type FeedItem } from './event-feed.repository.js';
import { SECOND } from '../../kernel/clock.js';
import { DomainError } from '../../kernel/domain-error.js';
import type { TransactionCursor } from '../../kernel/paging/transaction-cursor.js';
import { StreamSlots } from './stream-slots.repository.js';

/** The first lines of a stream, which tell readers to reconnect after 3 seconds. */
export const STREAM_HEAD = 'retry: 3000\n\n';

/** Formats an event for the stream. `body` is JSON on one line, as `data` requires. */
export function eventFrame(id: string, { type, body }: Omit<FeedItem, 'cursor'>): string {
  return `id: ${id}\nevent: ${type}\ndata: ${body}\n\n`;
}

/** Formats a ping. The ping's id tells a reader where to continue after reconnecting. */
export function pingFrame(id: string): string {
  return `: ping\nid: ${id}\n\n`;
}

class TooManyStreams extends DomainError {
  constructor() {
    super('rate_limited', 'An account has at most five streams open.', { retry_after_seconds: 3 });
  }
}

interface StreamRequest extends FeedFilter {
  readonly accountId: string;
  readonly from: TransactionCursor;
  /** Ends the stream, for example when the reader disconnects or loses access. */
  readonly signal: AbortSignal;
  /** Closes the connection, even with unsent data. */
  readonly disconnect: () => void;
}

/** A sign of life, with the cursor from which a reader continues after reconnecting. */
export interface Ping {
  readonly ping: TransactionCursor;
}

interface ReaderState {
  /** Since when the reader has left an item unread; Infinity if the reader has read every item. */
  blockedSince: number;
}

const BATCH_SIZE = 100;
const STEP_MS = 50;
const POLL_INTERVAL_MS = SECOND / 4;
/** The most time for an ending stream to finish reading a page and to end the response. */
const END_TIMEOUT_MS = 2 * SECOND;

@Injectable()
export class EventStreams implements OnModuleDestroy {
  private readonly log = new Logger(EventStreams.name);
  private readonly closing = new AbortController();
  /** How often a reader gets a ping, and a stream renews its slot (its place in the account's limit). */
  protected readonly pingIntervalMs: number = 15 * SECOND;
  /** A reader that reads nothing for this long is disconnected. */
  protected readonly readerTimeoutMs: number = 30 * SECOND;

  constructor(
    private readonly events: EventFeed,
    private readonly slots: StreamSlots,
  ) {}

  /** Ends all streams, because an open stream would delay the shutdown. */
  onModuleDestroy(): void {
    this.closing.abort();
  }

  /** @throws TooManyStreams if the account already has five open streams */
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
      this.log.warn(`the slot of a stream becomes free in a minute: ${(error as Error).message}`);
    }
  }

  private async *follow(request: StreamRequest, reader: ReaderState): AsyncGenerator<FeedItem | Ping> {
    try {
      for await (const item of this.poll(request)) {
        if (request.signal.aborted) return;
        reader.blockedSince = performance.now();
        yield item;
        reader.blockedSince = Infinity;
      }
    } catch (error) {
      // The stream ends here, and the reader reconnects with its last id.
      if (!request.signal.aborted) this.log.warn(`a stream failed: ${(error as Error).message}`);
    } finally {
      // An ended stream counts as blocked, so that `supervise` closes its connection.
      reader.blockedSince = performance.now();
    }
  }

  private async *poll(request: StreamRequest): AsyncGenerator<FeedItem | Ping> {
    let { from } = request;
    let [nextPoll, nextPing] = [0, performance.now() + this.pingIntervalMs];
    while (!request.signal.aborted) {
      if (performance.now() >= nextPoll) {
        const { items, next, hasMore } = await this.events.streamPage({ ...request, after: from, limit: BATCH_SIZE });
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

  /** Renews the stream's slot. Runs beside the stream, so that a blocked stream can be disconnected. */
  private async supervise(request: StreamRequest, slot: string, reader: ReaderState): Promise<void> {
    const intervalMs = this.pingIntervalMs;
    const isBlocked = () => performance.now() - reader.blockedSince >= this.readerTimeoutMs;
    let nextRenewal = performance.now() + intervalMs;
    try {
      while (!request.signal.aborted && !isBlocked()) {
        if (performance.now() >= nextRenewal) {
          await this.slots.renew(slot);
          nextRenewal = performance.now() + intervalMs;
        }
        await sleep(STEP_MS);
      }
    } catch (error) {
      this.log.warn(`a stream was ended: ${(error as Error).message}`);
    }
    // A stream without unread items gets two seconds to end, because the stream may be reading its next page.
    setTimeout(request.disconnect, reader.blockedSince === Infinity ? END_TIMEOUT_MS : STEP_MS).unref();
  }
}
