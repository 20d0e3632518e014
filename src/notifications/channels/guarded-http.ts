import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Agent } from 'undici';
import { WebhookConfig } from '../../config/sections.js';
import { Clock, SECOND } from '../../kernel/clock.js';
import { Deadline } from '../../platform/outbound/deadline.js';
import { createOutboundAgent } from '../../platform/outbound/outbound-agent.js';
import { toOutboundError } from '../../platform/outbound/outbound-error.js';
import { ResponseReader } from '../../platform/outbound/response-reader.js';
import { parseRetryAfterMs } from '../../platform/outbound/retry-after.js';
import { USER_AGENT } from '../../platform/outbound/user-agent.js';
import { toExcerpt } from '../domain/attempt.js';
import type { ChannelHttpRequest, HttpReply, HttpResult } from '../domain/http-exchange.js';
import { type Target, parseWebhookTarget } from '../domain/target.js';
import { WebhookGuard } from './webhook-guard.js';

/** Limits the whole request, from DNS to the end of the reply. */
const TIMEOUT_MS = 15 * SECOND;
const KEEP_ALIVE_MS = 10 * SECOND;
/** The most bytes to read of a reply, because a reply may be endless. */
const MAX_READ_BYTES = 16 * 1_024;
/** Limits the cached agents. Each channel has its own agent, so channels never share connections. */
const MAX_AGENTS = 256;

/**
 * The HTTP client of channels, also for extensions. Checks addresses (WEBHOOK_ALLOW_NETWORKS) and certificates
 * (WEBHOOK_CA_FILE), and follows no redirects.
 */
@Injectable()
export class GuardedHttp implements OnApplicationShutdown {
  /** The trusted certificate authorities. null for Node's own list. */
  private readonly trust: SecureContext | null;
  private readonly agents = new LRUCache<string, Agent>({ max: MAX_AGENTS, dispose: (agent) => void agent.close() });

  /** @internal Left out of the published types, because the parameters have internal types. */
  constructor(
    { webhookCa }: WebhookConfig,
    private readonly guard: WebhookGuard,
    private readonly clock: Clock,
  ) {
    // The context trusts only the listed authorities, so the list includes Node's own.
    this.trust = webhookCa === null ? null : createTrust([...getCACertificates('default'), webhookCa]);
  }

  /**
   * Parses and normalizes the URL of a channel.
   * @throws TargetInvalid if `text` is no HTTPS URL
   * @throws TargetNotAllowed for a forbidden port or literal address, and for this service itself
   */
  parseUrl(text: string): Target {
    return parseWebhookTarget(text, this.guard);
  }

  /** Sends once. Returns network failures, and throws on bugs only. */
  async send(request: ChannelHttpRequest): Promise<HttpResult> {
    const url = new URL(request.url);
    if (this.guard.isOwn(url.hostname, Number(url.port || 443))) return { failure: 'blocked' };
    try {
      return { reply: await this.request(url, request) };
    } catch (error) {
      const failure = toOutboundError(error)?.failure;
      if (!failure) throw error;
      return { failure };
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.agents.values()].map((agent) => agent.destroy()));
  }

  /** If the body breaks off or takes too long, returns the status and the part that arrived. */
  private async request({ origin, pathname, search }: URL, request: ChannelHttpRequest): Promise<HttpReply> {
    const { channelId, method = 'POST', body, timeoutMs } = request;
    const reader = new ResponseReader(new Deadline(Math.min(TIMEOUT_MS, timeoutMs)), MAX_READ_BYTES);
    const headers = { 'user-agent': USER_AGENT, ...request.headers };
    this.agentFor(channelId).dispatch({ origin, path: pathname + search, method, headers, body }, reader);
    const { status, headers: received, body: read } = await reader.response;
    const excerpt = read.length === 0 ? null : toExcerpt(read);
    return { status, excerpt, retryAfterMs: parseRetryAfterMs(received['retry-after'], this.clock.now()) };
  }

  private agentFor(channelId: string): Agent {
    const cached = this.agents.get(channelId);
    if (cached) return cached;
    const agent = this.createAgent();
    this.agents.set(channelId, agent);
    return agent;
  }

  /** @internal Tests override this method, to connect to a receiver on the same machine. */
  protected createAgent(): Agent {
    const guard = { permits: (address: string, port = 443) => this.guard.permitsAddress(address, port) };
    const trust = this.trust === null ? {} : { secureContext: this.trust };
    return createOutboundAgent({ guard, keepAliveMs: KEEP_ALIVE_MS, connectTimeoutMs: TIMEOUT_MS, ...trust });
  }
}

/** Sets `minVersion` here, because `tls.connect` ignores its own `minVersion` if it gets a `secureContext`. */
function createTrust(ca: string[]): SecureContext {
  return createSecureContext({ ca, minVersion: 'TLSv1.2' });
}
