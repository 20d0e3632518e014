import { describe, expect, it } from '@jest/globals';
import { sendMessage, sendOpened } from '../../../../src/notifications/deliveries/send-message.js';
import { accepted, failed } from '../../../../src/notifications/index.js';
import { SecretBox } from '../../../../src/platform/crypto/secret-box.js';
import { aMessage } from '../../../support/builders/notification-events.js';
import { ScriptedSender } from '../../../support/fakes/scripted-sender.js';

describe('sending to a channel with unreadable secrets', () => {
  const send = () => Promise.reject(new Error('nothing is to be sent'));
  const sendSealed = (box: SecretBox, opening = box) => {
    const sealed = box.seal('whsec_x', 'nc_1');
    return sendOpened(() => void opening.open(sealed, 'nc_2') as never, send);
  };
  const aBox = () => new SecretBox(SecretBox.generateKey());

  it('reports a missing key if another key encrypted the secrets', async () => {
    const { outcome, bug } = await sendSealed(aBox(), aBox());
    expect(outcome).toMatchObject({ outcome: 'connect', fault: 'service', isForWantOfKey: true });
    expect(bug?.message).toContain('it is sealed with the key');
  });

  it('reports a failure of Namewatch, but no missing key, if the secrets were altered', async () => {
    const { outcome } = await sendSealed(aBox());
    expect(outcome).toMatchObject({ fault: 'service', isForWantOfKey: false });
  });
});

describe('sending through the code of an extension', () => {
  it('times out if the extension never finishes', async () => {
    const sender = new ScriptedSender();
    sender.receive = () => new Promise(() => undefined);
    const result = await sendMessage(sender, { ...aMessage('receiver'), timeoutMs: 1 }, 'host');
    expect(result).toMatchObject({ outcome: { outcome: 'timeout' }, bug: null });
  });

  it('cuts the excerpt of a reply to 4 kB, and replaces characters that cannot be stored', async () => {
    const sender = new ScriptedSender();
    sender.receive = () => accepted(200, `\u0000\ud800${'x'.repeat(10_000)}`);
    const { outcome } = await sendMessage(sender, aMessage('receiver'), 'host');
    expect(outcome.responseExcerpt).toMatch(/^\uFFFD\uFFFDx+$/);
    expect(Buffer.byteLength(outcome.responseExcerpt ?? '')).toBe(4_096);
  });

  it('removes secrets and line breaks from the reason why a receiver is gone, and shortens the reason', async () => {
    const sender = new ScriptedSender();
    const message = aMessage('receiver');
    const credential = 's3cr3t-t0ken';
    sender.receive = () => failed('http_error', { gone: `the token ${credential}\nwas revoked ${'x'.repeat(1_000)}` });
    const sent = { ...message, channel: { ...message.channel, credential } };
    const { gone = '' } = (await sendMessage(sender, sent, 'host')).outcome;
    expect([gone.slice(0, 23), gone.length]).toEqual(['the token … was revoked', 200]);
  });

  it('reports a bug if the reason why a receiver is gone is not a text', async () => {
    const sender = new ScriptedSender();
    sender.receive = () => failed('http_error', { gone: true } as never);
    const { outcome, bug } = await sendMessage(sender, aMessage('receiver'), 'host');
    expect([outcome, bug?.cause]).toMatchObject([
      { fault: 'service' },
      { message: expect.stringMatching(/no outcome/) },
    ]);
  });
});
