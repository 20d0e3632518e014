import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The source of an extension, with a channel type of the worst kind: a secret target, a credential, and errors that repeat both. */
export function chatExtension(): string {
  const kit = pathToFileURL(join(import.meta.dirname, '../../../dist/kit.js')).href;
  return `import { CredentialInvalid, defineExtension, HttpChannelSender } from '${kit}';
    class ChatSender extends HttpChannelSender {
      type = 'chat';
      secret = 'account';
      hasSecretTarget = true;
      example = { target: 'https://chat.example.test/rooms/Example-Example', about: 'Lines in a room' };
      parseTarget(text) {
        if (text.endsWith('bug')) throw new TypeError('cannot read ' + text);
        return super.parseTarget(text);
      }
      parseCredential(text) {
        if (text.includes(' ')) throw new CredentialInvalid(text + ' has a space');
        return text;
      }
      toRequest({ channel, event }) {
        return { url: channel.target, headers: { authorization: 'Bearer ' + channel.credential }, body: event.body };
      }
    }
    export default defineExtension({ name: 'chat', compatibility: '*', channelSenders: [ChatSender] });`;
}
