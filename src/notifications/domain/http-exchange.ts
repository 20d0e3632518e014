/** The request that an `HttpChannelSender` makes. */
export interface HttpRequest {
  /** POST by default. With any method, a receiver may get a request twice, because a lost reply causes a retry. */
  readonly method?: 'POST' | 'PUT' | 'PATCH';
  readonly url: string;
  /** Header values by name. The default `user-agent` names this service. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, which is sent unchanged. */
  readonly body: string;
}

export interface ChannelHttpRequest extends HttpRequest {
  /** Only requests of the same channel share connections. */
  readonly channelId: string;
  /** The request ends after this time, and after 15 seconds at the latest. */
  readonly timeoutMs: number;
}

export interface HttpReply {
  readonly status: number;
  /** At most 4 kB of the body as text. null for an empty body. */
  readonly excerpt: string | null;
  /** From the header Retry-After. null without the header. */
  readonly retryAfterMs: number | null;
}

/** Why no reply arrived. `blocked` means that the address is not allowed. */
export type HttpFailure = 'blocked' | 'dns' | 'connect' | 'tls' | 'timeout';

/** The reply of a receiver, or the reason why no reply arrived. */
export type HttpResult = { readonly reply: HttpReply } | { readonly failure: HttpFailure };
