import type { Dispatcher } from 'undici';
import type { AbortLike } from './deadline.js';

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A response of which at least the status arrived. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** The whole body, or the part that arrived if there is a `flaw`. */
  readonly body: Buffer;
  /** Why the body is incomplete; null for a complete body. */
  readonly flaw: unknown;
}

/** The body is longer than the reader may read. */
export class ResponseTooLong extends Error {}

/**
 * Reads one response of undici's dispatcher. `response` settles at the end, at the size limit, on an error or on abort.
 */
export class ResponseReader implements Dispatcher.DispatchHandler {
  private readonly settled = Promise.withResolvers<HttpResponse>();
  /** Rejects if not even a status arrived. */
  readonly response = this.settled.promise;
  private controller: Dispatcher.DispatchController | null = null;
  private status: number | null = null;
  private headers: ResponseHeaders = {};
  private readonly chunks: Buffer[] = [];
  private size = 0;
  private isSettled = false;
  private readonly onAbort = () => this.close(this.signal.reason);

  /**
   * @param signal limits the whole exchange, including the wait for a connection
   * @param maxBytes a longer body closes the connection
   */
  constructor(
    private readonly signal: AbortLike,
    private readonly maxBytes: number,
  ) {
    if (signal.aborted) this.onAbort();
    else signal.addEventListener('abort', this.onAbort);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.isSettled) this.abort(); // aborted while the request waited for a connection
  }

  onResponseStart(_: unknown, status: number, headers: ResponseHeaders): void {
    if (status < 200 || this.isSettled) return; // informational (RFC 9110 §15.2): the final response follows
    this.status = status;
    this.headers = headers;
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    if (this.isSettled) return;
    this.chunks.push(chunk);
    this.size += chunk.length;
    if (this.size > this.maxBytes) this.close(new ResponseTooLong(`more than ${this.maxBytes} bytes`));
  }

  onResponseEnd(): void {
    // Creates an error only if needed, because collecting the error's stack takes time.
    this.settle(this.status === null ? new Error('the response ended before it began') : null);
  }

  onResponseError(_: unknown, error: unknown): void {
    this.settle(error);
  }

  /** Stops reading and closes the connection, since more of the response may come. */
  private close(reason: unknown): void {
    this.settle(reason);
    this.abort();
  }

  private settle(flaw: unknown): void {
    if (this.isSettled) return;
    this.isSettled = true;
    this.signal.removeEventListener('abort', this.onAbort);
    const { status, headers, chunks } = this;
    if (status === null) return this.settled.reject(flaw);
    const body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
    this.settled.resolve({ status, headers, body, flaw });
  }

  private abort(): void {
    this.controller?.abort(new Error('response no longer needed'));
  }
}

/** Returns the value of a header, or of the first of several headers with the same name. */
export function firstValue(value: string | string[] | undefined): string | null {
  return (Array.isArray(value) ? value[0] : value) ?? null;
}
