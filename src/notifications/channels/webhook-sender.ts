import { Injectable } from '@nestjs/common';
import type { Message } from '../domain/channels/channel-sender.js';
import type { HttpRequest } from '../domain/channels/guarded-http.js';
import { HttpChannelSender } from './http-channel-sender.js';
import { webhookHeaders } from './webhook-headers.js';

/** Signed POSTs by Standard Webhooks 1.0. */
@Injectable()
export class WebhookSender extends HttpChannelSender {
  readonly type = 'webhook';
  readonly secret = 'signing';
  readonly example = { target: 'https://hooks.example.test/namewatch', about: 'Signed requests to an HTTPS URL' };
  override readonly supportsHeaders = true;

  protected toRequest(message: Message): HttpRequest {
    return { url: message.channel.target, headers: webhookHeaders(message), body: message.event.body };
  }
}
