import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Agent, Dispatcher } from 'undici';
import { DAY } from '../../kernel/clock.js';
import { USER_AGENT } from '../../platform/outbound/user-agent.js';
import type { AbortLike } from '../../platform/outbound/deadline.js';
import {
  isInvalidHttpResponse,
  isProtocolRefused,
  type OutboundFailure,
  toOutboundError,
} from '../../platform/outbound/outbound-error.js';
import { type LookupErrorCode, MAX_EXCERPT_LENGTH } from '../domain/lookup/lookup-result.js';
import type { SourceAnswer } from '../domain/lookup/lookup-source.js';
import { toPrintable } from '../answer-text/printable.js';

export type RequestHeaders = Readonly<Record<string, string>>;

const MAX_HTTP2_ORIGINS = 1_000;
/** The HTTP status (RFC 9110 §15.5.22) with which servers demand HTTP/2. */
const UPGRADE_REQUIRED = 426;

/**
 * Sends requests to untrusted servers. An address guard checks every address, and sizes and times are bounded.
 * Compressed responses are refused because they could inflate, and redirects are not followed. Network errors are
 * returned. Uses HTTP/1.1, or HTTP/2 with servers that demand it.
 */
@Injectable()
export class RegistryHttpClient implements OnApplicationShutdown {
  /**
   * @param connectionPerRequest an agent that closes each connection after its response
   * @param http2 null for HTTP/1.1 only
   */
  constructor(
    private readonly agent: Agent,
    private readonly connectionPerRequest: Agent = agent,
    private readonly http2: Pick<Agent, 'dispatch' | 'destroy'> | null = null,
    private readonly http2Origins = new LRUCache<string, true>({ max: MAX_HTTP2_ORIGINS, ttl: DAY }),
  ) {}

  /** Returns a client that opens a new connection for each request. Needs no shutdown of its own. */
  onNewConnections(): RegistryHttpClient {
    return new RegistryHttpClient(this.connectionPerRequest, undefined, this.http2, this.http2Origins);
  }

  /**
   * @param url a plain object will do, which is cheaper than a URL object for each of many requests
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

  private async dispatch(
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
      // A cached response would repeat the data of an earlier lookup, and so seem to confirm it.
      'cache-control': 'no-cache',
      'user-agent': USER_AGENT,
    };
    const request = { origin, path: pathname + search, method, headers, body };
    const send = (dispatcher: Pick<Agent, 'dispatch'>) =>
      new Promise<HttpReply | HttpNoResponse>((resolve, reject) => {
        dispatcher.dispatch(request, new BoundedHttpRequest(options, resolve, reject));
      });
    const { http2 } = this;
    if (http2 && this.http2Origins.has(origin)) return send(http2);
    const outcome = await send(this.agent);
    if (!http2 || !demandsHttp2(outcome) || !origin.startsWith('https:')) return outcome;
    const second = await send(http2);
    if (second.kind === 'reply' && second.status !== UPGRADE_REQUIRED) this.http2Origins.set(origin, true);
    return second;
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.agent.destroy(), this.connectionPerRequest.destroy(), this.http2?.destroy()]);
  }
}

/** A complete response, whatever its status. */
export interface HttpReply {
  readonly kind: 'reply';
  readonly status: number;
  /** In lower case, without parameters; empty without a Content-Type. */
  readonly mediaType: string;
  readonly location: string | null;
  readonly retryAfter: string | null;
  /** The headers as sent. A later request returns them to ask whether there is a newer document. */
  readonly etag?: string | null;
  readonly lastModified?: string | null;
  readonly body: Buffer;
}

/** No response, or an unusable response (not HTTP, too large, or compressed although declined). */
export interface HttpNoResponse {
  readonly kind: 'no_response';
  readonly status: number | null;
  readonly failure: OutboundFailure | 'not_http' | 'too_large' | 'compressed';
  readonly detail: string;
  /** The server does not speak HTTP/1.1. */
  readonly isProtocolRefused?: true;
}

function demandsHttp2(outcome: HttpReply | HttpNoResponse): boolean {
  return outcome.kind === 'reply' ? outcome.status === UPGRADE_REQUIRED : outcome.isProtocolRefused === true;
}

export interface HttpRequestOptions {
  readonly accept: string;
  /** Maximum body size; one byte more closes the connection. */
  readonly maxBytes: number;
  /** Limits the whole exchange: resolving, connecting, waiting and reading. */
  readonly signal: AbortLike;
  /** Whether a body with `content-encoding: gzip` is returned as sent. Otherwise it is refused. */
  readonly acceptsGzip?: boolean;
}

type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Handles one request of undici's dispatcher. The promise settles once: at the end, at the size limit, on an error or
 * on abort.
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
        const refused = isProtocolRefused(outbound.cause) && { isProtocolRefused: true as const };
        this.resolve({ kind: 'no_response', status: null, failure, detail: outbound.message, ...refused });
      }
    }
    this.abort();
  }

  /** @returns false if it had already settled */
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

function firstValue(value: string | string[] | undefined): string | null {
  return (Array.isArray(value) ? value[0] : value) ?? null;
}

export function parseMediaType(contentType: string | null): string {
  if (contentType === null) return '';
  const end = contentType.indexOf(';');
  return (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}

/** @param source the prefix of the rule */
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
