import { Injectable } from '@nestjs/common';
import { TimeUnits } from '../../kernel/time-units.js';
import { ChannelSender, type Message } from '../domain/channel-sender.js';
import type { HttpReply, HttpRequest } from '../domain/http-exchange.js';
import { GuardedHttp } from './guarded-http.js';
import { accepted, type AttemptOutcome, failed } from '../domain/attempt.js';
import { RetrySchedule } from '../domain/retry-schedule.js';
import type { Target } from '../domain/target.js';

/**
 * Sends with the address checks, limits and retries of webhooks. Override `toOutcome` if the status does not tell the
 * outcome.
 */
@Injectable()
export abstract class HttpChannelSender extends ChannelSender {
  /** Ten attempts over three days. */
  readonly schedule: RetrySchedule;

  constructor(
    protected readonly http: GuardedHttp,
    units: TimeUnits,
  ) {
    super();
    this.schedule = RetrySchedule.forWebhooks(units);
  }

  /** Accepts an HTTPS URL to which this service may connect. @throws TargetInvalid, TargetNotAllowed */
  parseTarget(text: string): Target {
    return this.http.parseUrl(text);
  }

  /** Makes one request. Returns a failure of the network as an outcome. */
  async send(message: Message): Promise<AttemptOutcome> {
    const { channel, timeoutMs } = message;
    const result = await this.http.send({ ...this.toRequest(message), channelId: channel.id, timeoutMs });
    return 'failure' in result ? failed(result.failure) : this.toOutcome(result.reply);
  }

  /** Must build the same body for the same event, so that receivers recognize a repeat. */
  protected abstract toRequest(message: Message): HttpRequest;

  /** Treats 2xx as success and 410 as the end of the channel. Any other status is retried, even a redirect. */
  protected toOutcome({ status, excerpt, retryAfterMs }: HttpReply): AttemptOutcome {
    if (status >= 200 && status < 300) return accepted(status, excerpt);
    const final = status === 410;
    return failed('http_error', { responseStatus: status, responseExcerpt: excerpt, retryAfterMs, final });
  }
}
