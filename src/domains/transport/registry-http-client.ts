import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Agent } from 'undici';
import { DAY } from '../../kernel/clock.js';
import { USER_AGENT } from '../../platform/outbound/user-agent.js';
import type { AbortLike } from '../../platform/outbound/deadline.js';
import {
  isInvalidHttpResponse,
  isProtocolRefused,
  type OutboundFailure,
  toOutboundError,
} from '../../platform/outbound/outbound-error.js';
import {
  firstValue,
  type HttpResponse,
  ResponseReader,
  ResponseTooLong,
} from '../../platform/outbound/response-reader.js';
import { type LookupErrorCode, MAX_EXCERPT_LENGTH } from '../domain/lookup/lookup-result.js';
import type { SourceAnswer } from '../domain/lookup/lookup-source.js';
import { toPrintable } from '../answer-text/printable.js';

export type RequestHeaders = Readonly<Record<string, string>>;

const MAX_HTTP2_ORIGINS = 1_000;
/** The HTTP status (RFC 9110 §15.5.22) with which servers demand HTTP/2. */
const UPGRADE_REQUIRED = 426;

/**
 * Sends requests to untrusted servers. Checks addresses, limits size and time, follows no redirects, and returns
 * network errors instead of throwing them.
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
   * @param url a URL or a plain object, which is cheaper to make
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
      // A cached response would be old, but would seem to confirm an earlier lookup.
      'cache-control': 'no-cache',
      'user-agent': USER_AGENT,
    };
    const request = { origin, path: pathname + search, method, headers, body };
    const send = async (dispatcher: Pick<Agent, 'dispatch'>) => {
      const reader = new ResponseReader(options.signal, options.maxBytes);
      dispatcher.dispatch(request, reader);
      return reader.response.then((response) => toReply(response, options), toNoResponse);
    };
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
  /** In lower case, without parameters; empty if the response has no Content-Type. */
  readonly mediaType: string;
  readonly location: string | null;
  readonly retryAfter: string | null;
  /** `etag` and `lastModified` of the response. The next request sends them back, to get only a newer document. */
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
  /** If true, a gzip body is returned, still compressed. If false or missing, a gzip body is refused. */
  readonly acceptsGzip?: boolean;
}

function toReply(
  { status, headers, body, flaw }: HttpResponse,
  options: HttpRequestOptions,
): HttpReply | HttpNoResponse {
  if (flaw instanceof ResponseTooLong)
    return { kind: 'no_response', status, failure: 'too_large', detail: flaw.message };
  if (flaw !== null) return toNoResponse(flaw);
  const encoding = firstValue(headers['content-encoding']) ?? 'identity';
  if (encoding !== 'identity' && !(encoding === 'gzip' && options.acceptsGzip === true))
    return { kind: 'no_response', status, failure: 'compressed', detail: `content-encoding ${encoding.slice(0, 40)}` };
  return {
    kind: 'reply',
    status,
    mediaType: parseMediaType(firstValue(headers['content-type'])),
    location: firstValue(headers['location']),
    retryAfter: firstValue(headers['retry-after']),
    etag: firstValue(headers['etag']),
    lastModified: firstValue(headers['last-modified']),
    body,
  };
}

/** @throws errors that neither the network nor the server caused */
function toNoResponse(error: unknown): HttpNoResponse {
  const outbound = toOutboundError(error);
  if (!outbound) throw error;
  const failure = isInvalidHttpResponse(outbound.cause) ? 'not_http' : outbound.failure;
  const refused = isProtocolRefused(outbound.cause) && { isProtocolRefused: true as const };
  return { kind: 'no_response', status: null, failure, detail: outbound.message, ...refused };
}

export function parseMediaType(contentType: string | null): string {
  if (contentType === null) return '';
  const end = contentType.indexOf(';');
  return (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}

/** @param source the first part of the rule's id, such as `rdap` in `rdap.timeout` */
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
