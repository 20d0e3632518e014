import {
  type AttemptOutcome,
  failed,
  HttpChannelSender,
  type HttpReply,
  type HttpRequest,
  type Message,
  type Target,
  TargetInvalid,
} from 'namewatch';
import { toSlackMessage } from './slack-message.js';

/** The last part is the secret: anyone who knows it can post. */
const WEBHOOK = /^https:\/\/(hooks\.slack\.com\/services\/T\w+\/B\w+)\/\w{16,}$/;
/** Slack says so in the body of a 403 or 404; a 410 is `channel_is_archived`. */
const GONE = new Set([
  'no_service',
  'no_active_hooks',
  'channel_not_found',
  'no_team',
  'team_disabled',
  'invalid_token',
]);
/** A message of ours that Slack will never accept: no fault of the channel. */
const MALFORMED = new Set(['invalid_payload', 'invalid_blocks', 'no_text', 'too_many_attachments']);

/** Posts to Slack's incoming webhooks. */
export class SlackSender extends HttpChannelSender {
  readonly type = 'slack';
  readonly secret = 'none';
  override readonly hasSecretTarget = true;
  readonly example = {
    target: 'https://hooks.slack.com/services/T00000000/B00000000/ExampleExampleExample123',
    about: 'Messages to a Slack channel, by the URL of an incoming webhook',
  };

  override parseTarget(text: string): Target {
    const target = super.parseTarget(text);
    const [, place] = WEBHOOK.exec(target.canonical) ?? [];
    if (place === undefined)
      throw new TargetInvalid('This is no incoming webhook of Slack: https://hooks.slack.com/services/T…/B…/…');
    return { ...target, masked: `https://${place}/…` };
  }

  protected toRequest({ channel, event }: Message): HttpRequest {
    const body = JSON.stringify(toSlackMessage(event));
    return { url: channel.target, headers: { 'content-type': 'application/json' }, body };
  }

  protected override toOutcome(reply: HttpReply): AttemptOutcome {
    const { status: responseStatus, excerpt: responseExcerpt } = reply;
    const reason = responseExcerpt?.trim() ?? '';
    const refusal = { responseStatus, responseExcerpt, final: true };
    if (responseStatus < 400 || responseStatus >= 500) return super.toOutcome(reply);
    if (GONE.has(reason)) return failed('http_error', { ...refusal, gone: reason });
    if (MALFORMED.has(reason)) return failed('http_error', { ...refusal, fault: 'service' });
    return super.toOutcome(reply);
  }
}
