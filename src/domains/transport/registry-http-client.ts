import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Agent, Dispatcher } from 'undici';
import { USER_AGENT } from '../../platform/outbound/user-agent.js';
import type { AbortLike } from '../../platform/outbound/deadline.js';
import {
  isInvalidHttpResponse,
  type OutboundFailure,
  toOutboundError,
} from '../../platform/outbound/outbound-error.js';
import { type LookupErrorCode, MAX_EXCERPT_LENGTH } from '../domain/lookup/lookup-result.js';
import type { SourceAnswer } from '../domain/lookup/lookup-source.js';
import { toPrintable } from '../answer-text/printable.js';

export type RequestHeaders = Readonly<Record<string, string>>;

/**
 * Requests to untrusted servers. Addresses are checked by the guard of the settings, sizes and times are bounded,
 * compressed responses are refused, so that none can inflate, and redirects are not followed. Network errors are returned
 * as data.
 */
@Injectable()
export class RegistryHttpClient implements OnApplicationShutdown {
  /** @param connectionPerRequest an agent that closes each connection after its response */
  constructor(
    private readonly agent: Agent,
    private readonly connectionPerRequest: Agent = agent,
  ) {}

  /** A client whose requests use no connection of an earlier one; it is closed with this one. */
  onNewConnections(): RegistryHttpClient {
    return new RegistryHttpClient(this.connectionPerRequest);
  }

  /**
   * @param url the parts are enough: an object for each of many requests would cost a tenth of them
   * @param headers in lower case, such as `authorization`
   */
  get(
    url: Pick<URL, 'origin' | 'pathname' | 'search'>,
    options: HttpRequestOptions,
    headers?: RequestHeaders,
  ): Promise<HttpReply | HttpNoResponse> {
    return this.dispatch('GET', url, options, null, headers);
  }

  /** @param headers in lower case; `content-type` says what the body is */
  post(
    url: URL,
    body: string,
    options: HttpRequestOptions,
    headers?: RequestHeaders,
  ): Promise<HttpReply | HttpNoResponse> {
    return this.dispatch('POST', url, options, body, headers);
  }

  private dispatch(
    method: 'GET' | 'POST',
    { origin, pathname, search }: Pick<URL, 'origin' | 'pathname' | 'search'>,
    options: HttpRequestOptions,
    body: string | null,
    added?: RequestHeaders,
  ): Promise<HttpReply | HttpNoResponse> {
    const headers = {
      ...added,
      accept: options.accept,
      'accept-encoding': 'identity',
      // A cached response would confirm an earlier lookup with the same data.
      'cache-control': 'no-cache',
      'user-agent': USER_AGENT,
    };
    return new Promise((resolve, reject) => {
      const request = new BoundedHttpRequest(options, resolve, reject);
      this.agent.dispatch({ origin, path: pathname + search, method, headers, body }, request);
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.agent.destroy(), this.connectionPerRequest.destroy()]);
  }
}

/** A complete response, whatever its status. */
export interface HttpReply {
  readonly kind: 'reply';
  readonly status: number;
  /** Lower case, without parameters; empty without a Content-Type. */
  readonly mediaType: string;
  readonly location: string | null;
  readonly retryAfter: string | null;
  /** Is kept as it was sent, to ask later whether there is a newer document. */
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

type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Handles one request of undici's dispatcher, without a stream in between. It settles once: on the last byte, one
 * byte too many, an error, or the abort signal.
 */
class BoundedHttpRequest implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | null = null;
  private status: number | null = null;
  private headers: ResponseHeaders = {};
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

  onResponseStart(_: unknown, status: number, headers: ResponseHeaders): void {
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

/** The first value of a repeated header counts. */
function firstValue(value: string | string[] | undefined): string | null {
  return (Array.isArray(value) ? value[0] : value) ?? null;
}

/** Lower case, without parameters. */
export function parseMediaType(contentType: string | null): string {
  if (contentType === null) return '';
  const end = contentType.indexOf(';');
  return (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}

/**
 * The answer of a source whose server sent no usable response.
 * @param source the prefix of the rule
 * @param hasTimedOut whether the deadline of the lookup has passed
 */
export function toNoResponseFailure(
  { failure, detail, status }: HttpNoResponse,
  source: string,
  hasTimedOut: boolean,
): SourceAnswer<never> & { kind: 'failure' } {
  const excerpt = toPrintable(detail).slice(0, MAX_EXCERPT_LENGTH);
  const common = { rule: `${source}.${failure}`, excerpt, httpStatus: status, retryAfterSeconds: null };
  return { kind: 'failure', code: toErrorCode(failure, hasTimedOut), ...common };
}

function toErrorCode(failure: HttpNoResponse['failure'], hasTimedOut: boolean): LookupErrorCode {
  switch (failure) {
    case 'not_http':
    case 'too_large':
    case 'compressed':
      return 'registry_answer_unusable';
    case 'timeout':
      return hasTimedOut ? 'registry_timeout' : 'registry_unreachable';
    case 'blocked':
    case 'dns':
    case 'connect':
    case 'tls':
      return 'registry_unreachable';
  }
}
