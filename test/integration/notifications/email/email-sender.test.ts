import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { EmailSender } from '../../../../src/notifications/email/email-sender.js';
import { CertificateAuthority } from '../../../support/builders/certificates.js';
import { type CatcherOptions, MailCatcher } from '../../../world/mailbox.js';
import { anEmailSender } from '../../../support/servers/mail-sending.js';
import { aMessage, anEvent, MONDAY } from '../../../support/builders/notification-events.js';
import { Listening } from '../../../world/listening.js';

Logger.overrideLogger(false); // failures of relays are logged, here in each test

const open: (() => unknown)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

async function aRelay(options?: CatcherOptions): Promise<MailCatcher> {
  const relay = await MailCatcher.start(options);
  open.push(() => relay.close());
  return relay;
}

function aSender(smtpUrl: string, env: Record<string, string> = {}): EmailSender {
  const { sender, close } = anEmailSender({ SMTP_URL: smtpUrl, ...env });
  open.push(close);
  return sender;
}

const toAda = (changes: Parameters<typeof aMessage>[1] = {}) => aMessage('ada@example.com', changes);
const operators = { responseExcerpt: null, fault: 'service', final: false };

describe('a mail', () => {
  it('describes the event in its subject, its text part and its HTML part', async () => {
    const relay = await aRelay();
    const message = toAda({ event: anEvent({ domain: 'xn--mnchen-3ya.example', domain_unicode: 'münchen.example' }) });
    expect(await aSender(relay.url).send(message)).toMatchObject({ outcome: 'ok', responseStatus: 250, final: false });
    const [mail] = await relay.caught.waitFor(1);
    expect(mail?.parsed.subject).toBe('[Namewatch] xn--mnchen-3ya.example is now available');
    for (const part of [mail?.parsed.text, mail?.parsed.html])
      for (const words of ['pending deletion → available', 'münchen.example', '23 November 2026, 09:00 UTC, by RDAP'])
        expect(part).toContain(words);
    expect(mail?.parsed.html).not.toMatch(/<img|<script|<link|src=/);
  });

  it('names one recipient, the same in the SMTP envelope and in the headers', async () => {
    const relay = await aRelay();
    await aSender(relay.url).send(toAda());
    const [mail] = await relay.caught.waitFor(1);
    expect(mail).toMatchObject({ from: 'alerts@namewatch.example', to: ['ada@example.com'] });
    expect(mail?.parsed.from).toMatchObject({ name: 'Domain Desk', address: 'alerts@namewatch.example' });
    expect(mail?.parsed.to).toMatchObject([{ address: 'ada@example.com' }]);
  });

  it('keeps its Message-ID when it is sent again, and is marked as automatic', async () => {
    const relay = await aRelay();
    const [sender, message] = [aSender(relay.url), toAda()];
    await sender.send(message);
    await sender.send({ ...message, attempt: 2 });
    const mails = await relay.caught.waitFor(2);
    const id = `<${message.event.id}.${message.channel.id}@namewatch.example>`;
    expect(mails.map(({ parsed }) => parsed.messageId)).toEqual([id, id]);
    expect(mails[0]?.raw).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(mails[0]?.parsed.date).toBe(MONDAY.toISOString());
    expect(mails[1]?.parsed.date).not.toBe(MONDAY.toISOString());
  });

  it('links to the dashboard page of the domain name, and shows no command or API link', async () => {
    const relay = await aRelay();
    await aSender(relay.url, { PUBLIC_URL: 'https://namewatch.example/' }).send(toAda());
    const [mail] = await relay.caught.waitFor(1);
    for (const part of [mail?.parsed.text, mail?.parsed.html]) {
      expect(part).toContain('https://namewatch.example/ui/names/lapsed.example');
      expect(part).toContain('entry wl_01jd6z0v8q3m4n5p6r7s8t9vwx');
      expect(part).not.toMatch(/namewatch check|\/v1\//);
    }
  });

  it('is accepted by a mail relay that requires a login and offers TLS', async () => {
    const authority = await CertificateAuthority.create();
    const certificate = await authority.issue(['relay.example']);
    const relay = await aRelay({ certificate, login: { user: 'namewatch', password: 'secret' } });
    const url = relay.url.replace('//', '//namewatch:secret@');
    expect(await aSender(url).send(toAda())).toMatchObject({ outcome: 'ok' });
  });
});

describe('a mail that cannot be sent', () => {
  it('has the outcome mail_not_configured, and is not retried, if no mail relay is configured', async () => {
    const { sender } = anEmailSender({ MAIL_FROM: '' });
    const outcome = { outcome: 'mail_not_configured', final: true, fault: 'service', responseStatus: null };
    expect(await sender.send(toAda())).toMatchObject(outcome);
  });

  it.each([
    [450, 'mailbox busy', false],
    [452, 'mailbox full', false],
    [550, 'no such user', true],
    [553, 'not here', true],
  ])(
    'is recorded as rejected if the relay refuses the recipient: %i "%s" (permanent: %s)',
    async (code, text, final) => {
      const relay = await aRelay();
      relay.refusals = { rcptTo: { code, text } };
      const outcome = await aSender(relay.url).send(toAda());
      expect(outcome).toMatchObject({ outcome: 'mail_rejected', responseStatus: code, final, fault: 'receiver' });
      expect(outcome.responseExcerpt).toBe(`${code} ${text}`);
      expect(relay.caught.all).toEqual([]);
    },
  );

  it.each([
    [451, false],
    [554, true],
  ])('is recorded as rejected if the relay refuses the content: %i (permanent: %s)', async (code, final) => {
    const relay = await aRelay();
    relay.refusals = { message: { code, text: 'not this' } };
    const outcome = { outcome: 'mail_rejected', responseStatus: code, final, fault: 'receiver' };
    expect(await aSender(relay.url).send(toAda())).toMatchObject(outcome);
  });

  it('counts as the service’s fault, with no reply stored, if the relay rejects sender or login', async () => {
    const relay = await aRelay();
    relay.refusals = { mailFrom: { code: 550, text: 'alerts@internal may not send' } };
    const refused = { ...operators, outcome: 'mail_rejected' };
    expect(await aSender(relay.url).send(toAda())).toMatchObject({ ...refused, responseStatus: 550 });
    const locked = await aRelay({ login: { user: 'namewatch', password: 'secret' } });
    const wrong = locked.url.replace('//', '//namewatch:wrong@');
    expect(await aSender(wrong).send(toAda())).toMatchObject({ ...refused, responseStatus: 535 });
  });

  it('is retried if the relay is down, closes the connection or sends an invalid greeting', async () => {
    const relay = await aRelay();
    const { url } = relay;
    await relay.close();
    expect(await aSender(url).send(toAda())).toMatchObject({ ...operators, outcome: 'connect' });
    for (const greeting of ['', 'SSH-2.0-OpenSSH_9.2\r\n', 'HTTP/1.1 400 Bad Request\r\n\r\n']) {
      const stranger = await aServer((socket) => socket.end(greeting));
      expect(await aSender(stranger).send(toAda())).toMatchObject({ ...operators, outcome: 'connect' });
    }
  });

  it('is retried if the relay answers that it is shutting down', async () => {
    const busy = await aServer((socket) => socket.end('421 shutting down\r\n'));
    expect(await aSender(busy).send(toAda())).toMatchObject({ ...operators, responseStatus: 421 });
  });

  it('times out if the relay does not answer', async () => {
    const silent = await aServer(() => undefined);
    const outcome = await aSender(silent).send(toAda({ timeoutMs: 300 }));
    expect(outcome).toMatchObject({ ...operators, outcome: 'timeout' });
  });

  it('times out if the greeting of the relay never ends', async () => {
    const drips: NodeJS.Timeout[] = [];
    open.push(() => drips.forEach(clearInterval));
    const endless = await aServer((socket) => drips.push(setInterval(() => socket.write('220-welcome\r\n'), 20)));
    expect(await aSender(endless).send(toAda({ timeoutMs: 400 }))).toMatchObject({ ...operators, outcome: 'timeout' });
  });

  it('fails with the outcome dns if the relay’s host name does not exist', async () => {
    expect(await aSender('smtp://relay.invalid').send(toAda())).toMatchObject({ ...operators, outcome: 'dns' });
  });
});

async function aServer(greet: (socket: Socket) => unknown): Promise<string> {
  const listening = await Listening.on(createServer((socket) => void greet(socket.resume())));
  open.push(() => listening.close());
  return `smtp://${listening.host}`;
}
