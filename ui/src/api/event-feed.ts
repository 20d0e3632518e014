import { type Client, type Event, getMe, streamEvents } from '../../../clients/typescript/src/index.js';
import { call } from './call.js';
import { SILENCE_MS } from './silence.js';

/**
 * `live`: events arrive. `lost`: the connection broke and is being restored. `busy`: the account has no free stream or
 * request. `paused`: the tab is in the background. `denied`: the key may not read events.
 */
export type FeedState = 'connecting' | 'live' | 'lost' | 'busy' | 'paused' | 'denied';

export interface FeedListener {
  readonly onEvent?: (event: Event) => void;
  /** Called when events may have been missed, so that the listener reads its data again. */
  readonly onGap?: () => void;
}

const RETRY_MS = 3_000;
const BUSY_RETRY_MS = 15_000;
/** A tab in the background gives up its stream after this time. A browser has six connections for all tabs. */
const BACKGROUND_MS = 60_000;

/** Streams the account's events to this tab over one connection. */
export class EventFeed {
  private readonly listeners = new Set<FeedListener>();
  private readonly stateListeners = new Set<(state: FeedState) => void>();
  private connection = new AbortController();
  private lastEventId: string | null = null;
  private backgroundTimer: ReturnType<typeof setTimeout> | undefined;
  private isClosed = false;
  state: FeedState = 'connecting';

  /** @param isWanted whether events are needed even while the tab is in the background */
  constructor(
    private readonly client: Client,
    private readonly isWanted: () => boolean,
  ) {}

  open(): void {
    document.addEventListener('visibilitychange', this.followVisibility);
    void this.connect();
  }

  close(): void {
    this.isClosed = true;
    document.removeEventListener('visibilitychange', this.followVisibility);
    clearTimeout(this.backgroundTimer);
    this.connection.abort();
  }

  /** @returns a function that ends the subscription */
  subscribe(listener: FeedListener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  followState(listener: (state: FeedState) => void): () => void {
    this.stateListeners.add(listener);
    return () => void this.stateListeners.delete(listener);
  }

  private async connect(): Promise<void> {
    let hasMissed = false;
    while (!this.isClosed && this.state !== 'paused') {
      this.connection = new AbortController();
      const failure = await this.read(this.connection, hasMissed);
      if (this.isClosed || (this.state as FeedState) === 'paused') return;
      if (failure === 401 || failure === 403) return this.endRefused(failure);
      if (failure === 410) this.lastEventId = null;
      hasMissed = this.lastEventId === null;
      this.setState(failure === 429 ? 'busy' : 'lost');
      await pause(failure === 429 ? BUSY_RETRY_MS : RETRY_MS);
    }
  }

  /** Asks again with a normal request, whose refusal explains itself and ends the session. */
  private async endRefused(status: 401 | 403): Promise<void> {
    const outcome = await call(getMe({ client: this.client }));
    if (status === 403 && outcome.ok) this.setState('denied');
  }

  /** Reads one connection until it ends. @returns the status of a refusal, or else null */
  private async read(connection: AbortController, hasMissed: boolean): Promise<number | null> {
    let refusal: number | null = null;
    let silence: ReturnType<typeof setTimeout> | undefined;
    const expectPing = () => {
      clearTimeout(silence);
      silence = setTimeout(() => connection.abort(), SILENCE_MS);
    };
    expectPing();
    const headers = this.lastEventId === null ? {} : { 'Last-Event-ID': this.lastEventId };
    const { stream } = await streamEvents({
      client: this.client,
      headers,
      signal: connection.signal,
      sseMaxRetryAttempts: 1,
      onSseError: (error) => (refusal = statusOf(error)),
      onSseEvent: ({ id }) => {
        expectPing();
        if (id !== undefined) this.lastEventId = id;
        if (this.state === 'live') return;
        this.setState('live');
        if (hasMissed) for (const listener of this.listeners) listener.onGap?.();
      },
    });
    for await (const event of stream) for (const listener of this.listeners) listener.onEvent?.(event);
    clearTimeout(silence);
    return refusal;
  }

  private readonly followVisibility = () => {
    clearTimeout(this.backgroundTimer);
    if (document.visibilityState === 'hidden') {
      this.backgroundTimer = setTimeout(() => {
        if (this.isWanted()) return;
        this.setState('paused');
        this.connection.abort();
      }, BACKGROUND_MS);
    } else if (this.state === 'paused') {
      this.setState('connecting');
      void this.connect();
    }
  };

  private setState(state: FeedState): void {
    if (state === this.state) return;
    this.state = state;
    for (const listener of this.stateListeners) listener(state);
  }
}

/** Finds the status of a refused stream, which the generated client gives only in its message. */
function statusOf(error: unknown): number | null {
  const found = error instanceof Error ? /^SSE failed: (\d{3})/.exec(error.message) : null;
  return found ? Number(found[1]) : null;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
