import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type Agent, request } from 'undici';
import { WebhookConfig } from '../../../config/sections.js';
import { Clock, SECOND } from '../../../kernel/clock.js';
import { TimeUnits } from '../../../kernel/time-units.js';
import { createOutboundAgent } from '../../../platform/outbound/outbound-agent.js';
import { toOutboundError } from '../../../platform/outbound/outbound-error.js';
import { parseRetryAfterMs } from '../../../platform/outbound/retry-after.js';
import { accepted, type AttemptOutcome, failed } from '../../domain/deliveries/attempt.js';
import { ChannelSender, type Message } from '../../domain/channels/channel-sender.js';
import { RetrySchedule } from '../../domain/deliveries/retry-schedule.js';
import type { Target } from '../../domain/channels/target.js';
import { parseWebhookTarget } from '../../domain/channels/webhook-target.js';
import { WebhookGuard } from './webhook-guard.js';
import { webhookHeaders } from './webhook-headers.js';
import { readExcerpt } from './webhook-reply.js';

/** For DNS, connecting, TLS, sending and the reply together. */
const TIMEOUT_MS = 15 * SECOND;
const KEEP_ALIVE_MS = 10 * SECOND;
/** One agent per channel: connections are never shared between channels. */
const MAX_AGENTS = 256;

/** Signed POSTs by Standard Webhooks 1.0. Only a 2xx is a success; a redirect is a failure, and is not followed. */
@Injectable()
export class WebhookSender extends ChannelSender implements OnApplicationShutdown {
  readonly type = 'webhook';
  readonly signs = true;
  override readonly supportsHeaders = true;
  readonly schedule: RetrySchedule;
  /** null: Node's own list of authorities. */
  private readonly trust: SecureContext | null;
  private readonly agents = new LRUCache<string, Agent>({ max: MAX_AGENTS, dispose: (agent) => void agent.close() });

  constructor(
    { webhooks }: WebhookConfig,
    units: TimeUnits,
    private readonly guard: WebhookGuard,
    private readonly clock: Clock,
  ) {
    super();
    this.schedule = RetrySchedule.forWebhooks(units);
    // A list of authorities replaces Node's own, so that is included.
    this.trust = webhooks.ca === null ? null : createTrust([...getCACertificates('default'), webhooks.ca]);
  }

  parseTarget(text: string): Target {
    return parseWebhookTarget(text, this.guard);
  }

  async send(message: Message): Promise<AttemptOutcome> {
    const { target } = message.channel;
    if (this.guard.isOwnHost(new URL(target).hostname)) return failed('blocked');
    try {
      return await this.postWithTimeout(target, message);
    } catch (error) {
      const failure = toOutboundError(error)?.failure ?? (isHttpParseError(error) ? 'connect' : null);
      if (!failure) throw error;
      return failed(failure);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.agents.values()].map((agent) => agent.destroy()));
  }

  /** Not AbortSignal.timeout(): its timer cannot be cleared. */
  private async postWithTimeout(target: string, message: Message): Promise<AttemptOutcome> {
    const controller = new AbortController();
    const abort = () => controller.abort(new DOMException('the attempt took too long', 'TimeoutError'));
    const timer = setTimeout(abort, Math.min(TIMEOUT_MS, message.timeoutMs));
    try {
      return await this.post(target, message, controller.signal);
    } finally {
      clearTimeout(timer);
    }
  }

  private async post(target: string, message: Message, signal: AbortSignal): Promise<AttemptOutcome> {
    const { statusCode, headers, body } = await request(target, {
      method: 'POST',
      headers: webhookHeaders(message),
      body: Buffer.from(message.event.body),
      dispatcher: this.agentFor(message.channel.id),
      signal,
    });
    const excerpt = await readExcerpt(body);
    if (statusCode >= 200 && statusCode < 300) return accepted(statusCode, excerpt);
    const retryAfterMs = parseRetryAfterMs(headers['retry-after'], this.clock.now());
    const isGone = statusCode === 410;
    return failed('http_error', { responseStatus: statusCode, responseExcerpt: excerpt, retryAfterMs, final: isGone });
  }

  private agentFor(channelId: string): Agent {
    const cached = this.agents.get(channelId);
    if (cached) return cached;
    const guard = { permits: (address: string, port = 443) => this.guard.permitsAddress(address, port) };
    const trust = this.trust === null ? {} : { secureContext: this.trust };
    const agent = createOutboundAgent({ guard, keepAliveMs: KEEP_ALIVE_MS, connectTimeoutMs: TIMEOUT_MS, ...trust });
    this.agents.set(channelId, agent);
    return agent;
  }
}

/** An explicit context has its own minimum version. */
function createTrust(ca: string[]): SecureContext {
  return createSecureContext({ ca, minVersion: 'TLSv1.2' });
}

/** A reply that is not HTTP: undici sets the name of the error, but no code. */
function isHttpParseError(error: unknown): boolean {
  return (error as { name?: unknown } | null)?.name === 'HTTPParserError';
}
