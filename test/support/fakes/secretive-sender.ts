import type { ChannelSecret } from '../../../src/notifications/index.js';
import { CredentialInvalid, type Target, TargetInvalid } from '../../../src/notifications/index.js';
import { ScriptedSender } from './scripted-sender.js';

/** A type whose targets are secrets, `room.example/<token>`, and whose accounts give a credential, `pt_…`. */
export class SecretiveSender extends ScriptedSender {
  override readonly type: string = 'secretive';
  override readonly secret: ChannelSecret = 'account';
  override readonly hasSecretTarget = true;
  override readonly example = { target: 'room.example/ExampleExample', about: 'Lines in a room' };

  override parseTarget(text: string): Target & { canonical: string; host: string } {
    const [host = '', token = ''] = text.trim().toLowerCase().split('/');
    if (text.includes('bug')) throw new TypeError(`cannot read ${text}`);
    if (token === '') throw new TargetInvalid('A target has a host and a token.');
    if (token.includes('!')) throw new TargetInvalid(`${text} has a character that is not allowed`);
    return { asSent: text, canonical: `${host}/${token}`, host };
  }

  override parseCredential(text: string): string {
    if (!text.startsWith('pt_')) throw new CredentialInvalid('A credential begins with pt_.');
    return text;
  }
}
