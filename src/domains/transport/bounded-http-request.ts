import type { Dispatcher } from 'undici';
import type { AbortLike } from '../../platform/outbound/deadline.js';
import {
  isInvalidHttpResponse,
  type OutboundFailure,
  toOutboundError,
} from '../../platform/outbound/outbound-error.js';

/** A complete response, whatever its status. */
export interface HttpReply {
  readonly kind: 'reply';
  readonly status: number;
  /** Lower case, without parameters; empty without a Content-Type. */
  readonly mediaType: string;
  readonly location: string | null;
  readonly retryAfter: string | null;
  /** As sent, to ask later whether there is a newer document. */
  readonly etag?: string | null;
  readonly lastModified?: string | null;
  readonly body: Buffer;
}

/** No usable response: no HTTP, too large, or compressed although declined. */
export interface HttpNoResponse {
  readonly kind: 'no_response';
  readonly status: number | null;
  readonly failure: OutboundFailure | 'not_http' | 'too_large' | 'compressed';
  readonly detail: string;
}

export interface HttpRequestOptions {
  readonly accept: string;
  /** Maximum body size; one byte more closes the connection. */
  readonly maxBytes: number;
  /** Bounds the whole exchange: resolving, connecting, waiting and reading. */
  readonly signal: AbortLike;
  /** A body with `content-encoding: gzip` is returned as it was sent; without this it is refused. */
  readonly acceptsGzip?: boolean;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Handles one request of undici's dispatcher, without a stream in between. It settles once: on the last byte, one
 * byte too many, an error, or the abort signal.
 */
export class BoundedHttpRequest implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | null = null;
  private status: number | null = null;
  private headers: Headers = {};
  private readonly chunks: Buffer[] = [];
  private size = 0;
  private isSettled = false;
  private readonly onAbort = () => this.fail(this.options.signal.reason);

  constructor(
    private readonly options: HttpRequestOptions,
    private readonly resolve: (outcome: HttpReply | HttpNoResponse) => void,
    private readonly reject: (error: unknown) => void,
  ) {
    if (options.signal.aborted) this.onAbort();
    else options.signal.addEventListener('abort', this.onAbort);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.isSettled) this.abort(); // timed out while it waited for a connection
  }

  onResponseStart(_: unknown, status: number, headers: Headers): void {
    if (status < 200 || this.isSettled) return; // informational (RFC 9110 §15.2): the final response follows
    this.status = status;
    this.headers = headers;
    const encoding = firstValue(headers['content-encoding']) ?? 'identity';
    const isAccepted = encoding === 'identity' || (encoding === 'gzip' && this.options.acceptsGzip === true);
    if (!isAccepted) this.resolveUnusable('compressed', `content-encoding ${encoding.slice(0, 40)}`);
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    if (this.isSettled) return;
    this.size += chunk.length;
    if (this.size > this.options.maxBytes)
      this.resolveUnusable('too_large', `more than ${this.options.maxBytes} bytes`);
    else this.chunks.push(chunk);
  }

  onResponseEnd(): void {
    const { status, headers, chunks } = this;
    if (status === null || !this.settle()) return;
    this.resolve({
      kind: 'reply',
      status,
      mediaType: parseMediaType(firstValue(headers['content-type'])),
      location: firstValue(headers['location']),
      retryAfter: firstValue(headers['retry-after']),
      etag: firstValue(headers['etag']),
      lastModified: firstValue(headers['last-modified']),
      body: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks),
    });
  }

  onResponseError(_: unknown, error: unknown): void {
    this.fail(error);
  }

  private resolveUnusable(failure: HttpNoResponse['failure'], detail: string): void {
    if (this.settle()) this.resolve({ kind: 'no_response', status: this.status, failure, detail });
    this.abort();
  }

  private fail(error: unknown): void {
    const outbound = toOutboundError(error);
    if (this.settle()) {
      if (!outbound) this.reject(error);
      else {
        const failure = isInvalidHttpResponse(outbound.cause) ? 'not_http' : outbound.failure;
        this.resolve({ kind: 'no_response', status: null, failure, detail: outbound.message });
      }
    }
    this.abort();
  }

  /** @returns false when it had settled before */
  private settle(): boolean {
    if (this.isSettled) return false;
    this.isSettled = true;
    this.options.signal.removeEventListener('abort', this.onAbort);
    return true;
  }

  private abort(): void {
    this.controller?.abort(new Error('response no longer needed'));
  }
}

/** Of a repeated header the first value counts. */
function firstValue(value: string | string[] | undefined): string | null {
  return (Array.isArray(value) ? value[0] : value) ?? null;
}

/** Lower case, without parameters. */
export function parseMediaType(contentType: string | null): string {
  if (contentType === null) return '';
  const end = contentType.indexOf(';');
  return (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}
