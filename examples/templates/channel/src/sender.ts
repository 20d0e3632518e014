import { CredentialInvalid, describeEvent, HttpChannelSender, type HttpRequest, type Message } from 'namewatch';

/** Posts what happened to the URL of a channel, with the token of the account. */
export class Sender extends HttpChannelSender {
  readonly type = 'my-extension';
  readonly secret = 'account';
  readonly example = { target: 'https://chat.example.test/rooms/42', about: 'Messages to a room' };

  override parseCredential(text: string): string {
    if (!/^[\w-]{8,200}$/.test(text)) throw new CredentialInvalid('A token has 8 to 200 letters, digits, "_" and "-".');
    return text;
  }

  protected toRequest({ channel, event }: Message): HttpRequest {
    const { headline, advice } = describeEvent(event);
    const headers = { authorization: `Bearer ${channel.credential}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ id: event.id, title: headline, text: advice.join(' ') });
    return { url: channel.target, headers, body };
  }
}
