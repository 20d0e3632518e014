import type { Target } from './target.js';

/** The request of an `HttpChannelSender`. */
export interface HttpRequest {
  /** Default: POST. A request may arrive twice, as every attempt may. */
  readonly method?: 'POST' | 'PUT' | 'PATCH';
  readonly url: string;
  /** Holds values by name; `user-agent` names this service unless it is set. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes to send as they are. */
  readonly body: string;
}

export interface ChannelHttpRequest extends HttpRequest {
  /** Connections are shared by requests of one channel only. */
  readonly channelId: string;
  /** Upper limit, beside 15 seconds. */
  readonly timeoutMs: number;
}

/** The answer of a server. */
export interface HttpReply {
  /** 200 to 599. */
  readonly status: number;
  /** Holds at most 4 kB of the body as text; null for an empty one. */
  readonly excerpt: string | null;
  /** Comes from Retry-After; null without one. */
  readonly retryAfterMs: number | null;
}

/**
 * Why there was no reply: the address was refused, the name did not resolve, or the connection failed or timed out.
 */
export type HttpFailure = 'blocked' | 'dns' | 'connect' | 'tls' | 'timeout';

/** A reply, or why there was none. */
export type HttpResult = { readonly reply: HttpReply } | { readonly failure: HttpFailure };

/**
 * The HTTP client of channels; extensions inject it. Every address is checked before a socket is opened
 * (WEBHOOK_ALLOW_NETWORKS), certificates are verified (WEBHOOK_CA_FILE), redirects are not followed, and
 * time and size of replies are bounded.
 *
 * It is a port because it is promised to extensions: they see two methods and neither the HTTP library nor the settings
 * behind them. Their tests get another client, which leads to a receiver on loopback (`LoopbackHttp`).
 */
export abstract class GuardedHttp {
  /**
   * A URL as the target of a channel, in canonical form and with its host.
   * @throws TargetInvalid when it is no HTTPS URL
   * @throws TargetNotAllowed for a port or literal address that may not be reached, and for this service
   */
  abstract parseUrl(text: string): Target;
  /** Sends once. A failure of the network is a result; it throws on bugs only. */
  abstract send(request: ChannelHttpRequest): Promise<HttpResult>;
}
