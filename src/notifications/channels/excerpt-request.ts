import type { Dispatcher } from 'undici';
import { OutboundError } from '../../platform/outbound/outbound-error.js';
import { toExcerpt } from '../domain/attempt.js';

/** The most bytes to read of a reply, because a reply may be endless. */
const MAX_READ_BYTES = 16 * 1_024;

export interface ReplyStart {
  readonly status: number;
  readonly excerpt: string | null;
  readonly retryAfter: string | string[] | undefined;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Reads one response from undici without a stream. A response with a status counts, even if the body breaks off or
 * takes too long. The excerpt is then the part of the body that arrived.
 */
export class ExcerptRequest implements Dispatcher.DispatchHandler {
  readonly reply: Promise<ReplyStart>;
  private readonly settled = Promise.withResolvers<ReplyStart>();
  private readonly timer: NodeJS.Timeout;
  private controller: Dispatcher.DispatchController | null = null;
  private status: number | null = null;
  private headers: Headers = {};
  private readonly chunks: Buffer[] = [];
  private size = 0;
  private isSettled = false;

  /** @param timeoutMs counts from now, so it includes connecting */
  constructor(timeoutMs: number) {
    this.reply = this.settled.promise;
    const timeout = () => this.close(new OutboundError('timeout', 'the attempt took too long'));
    this.timer = setTimeout(timeout, timeoutMs); // unlike the timer of AbortSignal.timeout(), this timer can be cleared
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.isSettled) this.abort(); // the timeout passed while the request waited for a connection
  }

  onResponseStart(_: unknown, status: number, headers: Headers): void {
    if (status < 200) return; // an informational response (RFC 9110 §15.2) precedes the final response
    this.status = status;
    this.headers = headers;
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    if (this.isSettled) return;
    this.chunks.push(chunk);
    this.size += chunk.length;
    if (this.size >= MAX_READ_BYTES) this.close(new Error('the reply is too long'));
  }

  onResponseEnd(): void {
    // Creates an error only if needed, because every error collects a stack.
    this.settle(this.status === null ? new Error('the response ended before it began') : null);
  }

  onResponseError(_: unknown, error: unknown): void {
    this.settle(error);
  }

  /** Stops reading and closes the connection, since more of the reply may come. */
  private close(reason: Error): void {
    this.settle(reason);
    this.abort();
  }

  /** @param error says why the reply is missing or incomplete; null for a complete reply */
  private settle(error: unknown): void {
    if (this.isSettled) return;
    this.isSettled = true;
    clearTimeout(this.timer);
    if (this.status === null) return this.settled.reject(error);
    const excerpt = this.size === 0 ? null : toExcerpt(Buffer.concat(this.chunks));
    this.settled.resolve({ status: this.status, excerpt, retryAfter: this.headers['retry-after'] });
  }

  private abort(): void {
    this.controller?.abort(new Error('response no longer needed'));
  }
}
