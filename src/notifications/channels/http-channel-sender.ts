import { Injectable } from '@nestjs/common';
import { TimeUnits } from '../../kernel/time-units.js';
import { ChannelSender, type Message } from '../domain/channel-sender.js';
import { GuardedHttp, type HttpReply, type HttpRequest } from '../domain/guarded-http.js';
import { accepted, type AttemptOutcome, failed } from '../domain/attempt.js';
import { RetrySchedule } from '../domain/retry-schedule.js';
import type { Target } from '../domain/target.js';

/**
 * A sender that asks an HTTPS server to take a message, by POST unless it says otherwise, with the guard, the limits and the
 * retries of webhooks. A subclass says what to send, and what a reply means where the status does not say it.
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

  /** An HTTPS URL that may be reached. @throws TargetInvalid, TargetNotAllowed */
  parseTarget(text: string): Target {
    return this.http.parseUrl(text);
  }

  /** One request; a failure of the network is an outcome. */
  async send(message: Message): Promise<AttemptOutcome> {
    const { channel, timeoutMs } = message;
    const result = await this.http.send({ ...this.toRequest(message), channelId: channel.id, timeoutMs });
    return 'failure' in result ? failed(result.failure) : this.toOutcome(result.reply);
  }

  /** The same body for the same event, so that receivers recognize a repeat. */
  protected abstract toRequest(message: Message): HttpRequest;

  /** Only a 2xx is a success; 410 ends the channel, and anything else is retried. A redirect is not followed. */
  protected toOutcome({ status, excerpt, retryAfterMs }: HttpReply): AttemptOutcome {
    if (status >= 200 && status < 300) return accepted(status, excerpt);
    const final = status === 410;
    return failed('http_error', { responseStatus: status, responseExcerpt: excerpt, retryAfterMs, final });
  }
}
