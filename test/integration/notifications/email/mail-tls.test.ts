import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { CertificateAuthority, type ServerCertificate } from '../../../support/builders/certificates.js';
import { MailCatcher } from '../../../world/mailbox.js';
import { anEmailSender } from '../../../support/servers/mail-sending.js';
import { aMessage } from '../../../support/builders/notification-events.js';

Logger.overrideLogger(false); // rejected relays are logged, here in each test

const HOUR = 3_600_000;
const usual = getCACertificates('default');
let authority: CertificateAuthority;
beforeAll(async () => {
  authority = await CertificateAuthority.create();
  setDefaultCACertificates([...usual, authority.cert]); // as an operator does for an authority of their own
});
const open: (() => unknown)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});
afterAll(() => setDefaultCACertificates(usual));

const CERTIFICATES: [string, string, () => Promise<ServerCertificate>][] = [
  ['ok', 'for its host', () => authority.issue(['127.0.0.1'])],
  ['tls', 'for another host', () => authority.issue(['relay.example'])],
  ['tls', 'that has expired', () => authority.issue(['127.0.0.1'], { notAfter: new Date(Date.now() - 1_000) })],
  ['tls', 'that is not valid yet', () => authority.issue(['127.0.0.1'], { notBefore: new Date(Date.now() + HOUR) })],
  ['tls', 'of an unknown authority', async () => (await CertificateAuthority.create()).issue(['127.0.0.1'])],
];

/** On loopback certificates are not judged; elsewhere they are, which these settings of the URL bring about here. */
const JUDGED = '?requireTLS=true&tls.rejectUnauthorized=true';

describe.each([
  ['STARTTLS', false, 'smtp'],
  ['TLS from the first byte', true, 'smtps'],
])('a mail relay with %s', (_how, secure, scheme) => {
  it.each(CERTIFICATES)('gives the outcome "%s" with a certificate %s', async (outcome, _what, issue) => {
    const relay = await MailCatcher.start({ certificate: await issue(), secure });
    const { sender, close } = anEmailSender({ SMTP_URL: `${scheme}://127.0.0.1:${relay.port}${JUDGED}` });
    open.push(() => relay.close(), close);
    const taken = await sender.send(aMessage('ada@example.com'));
    expect(taken).toMatchObject(outcome === 'ok' ? { outcome } : { outcome, fault: 'service', final: false });
    expect(relay.caught.all).toHaveLength(outcome === 'ok' ? 1 : 0);
  });
});

describe('a mail relay that offers no TLS', () => {
  it('gets no mail if SMTP_URL requires TLS', async () => {
    const relay = await MailCatcher.start({ login: { user: 'namewatch', password: 'secret' } });
    const url = `${relay.url.replace('//', '//namewatch:secret@')}?requireTLS=true`;
    const { sender, close } = anEmailSender({ SMTP_URL: url });
    open.push(() => relay.close(), close);
    expect(await sender.send(aMessage('ada@example.com'))).toMatchObject({ outcome: 'tls', fault: 'service' });
    expect(relay.caught.all).toEqual([]);
  });
});
