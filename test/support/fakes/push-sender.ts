import {
  CredentialInvalid,
  HttpChannelSender,
  type HttpRequest,
  type Message,
} from '../../../src/notifications/index.js';

/** A type whose accounts give a token of their own, beside an address that is no secret. */
export class PushSender extends HttpChannelSender {
  readonly type: string = 'push';
  readonly secret = 'account';
  readonly example = { target: 'https://push.example.test/topics/domains', about: 'Messages to a topic' };

  override parseCredential(text: string): string {
    const token = text.trim();
    if (!/^pt_\w{20,}$/.test(token)) throw new CredentialInvalid('A token begins with pt_.');
    return token;
  }

  protected toRequest({ channel, event }: Message): HttpRequest {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${channel.credential}` };
    return { url: channel.target, headers, body: event.body };
  }
}
