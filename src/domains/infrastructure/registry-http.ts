import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type Agent, type Dispatcher, request } from 'undici';
import { isNoHttp, type OutboundFailure, outboundErrorOf } from '../../platform/outbound/outbound-error.js';
import { USER_AGENT } from '../../platform/outbound/user-agent.js';

/** A whole answer, whatever its status. */
export interface HttpReply {
  readonly kind: 'reply';
  readonly status: number;
  /** Lower case, without parameters; empty when the server named none. */
  readonly mediaType: string;
  readonly location: string | null;
  readonly retryAfter: string | null;
  readonly body: Buffer;
}

/** No answer, or one that was not read to its end: no HTTP, too large, or compressed although that was declined. */
export interface HttpSilence {
  readonly kind: 'silence';
  readonly status: number | null;
  readonly failure: OutboundFailure | 'not_http' | 'too_large' | 'compressed';
  readonly detail: string;
}

export interface Asking {
  readonly accept: string;
  /** Bytes of body that are read; one more and the connection is closed. */
  readonly limit: number;
  /** Bounds the whole exchange: resolving, connecting, waiting and reading. */
  readonly signal: AbortSignal;
}

/**
 * GET to servers of strangers. Nothing is inflated (a compressed answer is refused, so no small bomb can grow here) and
 * no redirect is followed. What the network does wrong comes back as data.
 */
@Injectable()
export class RegistryHttp implements OnApplicationShutdown {
  constructor(private readonly agent: Agent) {}

  async get(url: URL, asking: Asking): Promise<HttpReply | HttpSilence> {
    try {
      const headers = {
        accept: asking.accept,
        'accept-encoding': 'identity',
        // An answer that a cache in between repeats would be the same witness twice.
        'cache-control': 'no-cache',
        'user-agent': USER_AGENT,
      };
      return await read(await request(url, { dispatcher: this.agent, signal: asking.signal, headers }), asking.limit);
    } catch (error) {
      const outbound = outboundErrorOf(error);
      if (!outbound) throw error;
      const failure = isNoHttp(outbound.cause) ? 'not_http' : outbound.failure;
      return { kind: 'silence', status: null, failure, detail: outbound.message };
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.agent.destroy();
  }
}

async function read(response: Dispatcher.ResponseData, limit: number): Promise<HttpReply | HttpSilence> {
  const { statusCode: status, headers } = response;
  const encoding = header(headers, 'content-encoding') ?? 'identity';
  if (encoding !== 'identity') return refuse(response, 'compressed', `content-encoding ${encoding.slice(0, 40)}`);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response.body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) return refuse(response, 'too_large', `more than ${limit} bytes`);
    chunks.push(chunk);
  }
  return {
    kind: 'reply',
    status,
    mediaType: (header(headers, 'content-type') ?? '').split(';', 1).join().trim().toLowerCase(),
    location: header(headers, 'location'),
    retryAfter: header(headers, 'retry-after'),
    body: Buffer.concat(chunks),
  };
}

function refuse({ statusCode, body }: Dispatcher.ResponseData, failure: HttpSilence['failure'], detail: string) {
  body.on('error', () => undefined); // destroying it says that it was not read to its end, which we know
  body.destroy();
  return { kind: 'silence', status: statusCode, failure, detail } as const;
}

/** A header sent twice counts by its first value. */
function header(headers: Dispatcher.ResponseData['headers'], name: string): string | null {
  return [headers[name]].flat()[0] ?? null;
}
