import { describe, expect, it } from '@jest/globals';
import { sendMessage } from '../../../../src/notifications/deliveries/send-message.js';
import { accepted } from '../../../../src/notifications/index.js';
import { aMessage } from '../../../support/builders/notification-events.js';
import { ScriptedSender } from '../../../support/fakes/scripted-sender.js';

describe('sending with a sender of an extension', () => {
  it('ends when the sender does not', async () => {
    const sender = new ScriptedSender();
    sender.receive = () => new Promise(() => undefined);
    const result = await sendMessage(sender, { ...aMessage('receiver'), timeoutMs: 1 }, 'host');
    expect(result).toMatchObject({ outcome: { outcome: 'timeout' }, bug: null });
  });

  it('cuts an excerpt to 4 kB, and replaces what cannot be stored', async () => {
    const sender = new ScriptedSender();
    sender.receive = () => accepted(200, `\u0000\ud800${'x'.repeat(10_000)}`);
    const { outcome } = await sendMessage(sender, aMessage('receiver'), 'host');
    expect(outcome.responseExcerpt).toMatch(/^\uFFFD\uFFFDx+$/);
    expect(Buffer.byteLength(outcome.responseExcerpt ?? '')).toBe(4_096);
  });
});
